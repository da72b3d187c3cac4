// Judgments read in full before they are used.
#pragma once

#include "lists/lists.hpp"

namespace medir {

// Reads all judgments, so that a fault in any is found now. Returns the highest grade.
int check_judgments(const Lists& qrels, Intents intents, int threads);

}  // namespace medir
