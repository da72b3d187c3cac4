// Gold passages: what a plain reader finds, or refuses.
#include "plain_passages.hpp"

void medir::fuzz::try_input(std::string_view bytes) { check_passages(bytes, PassageLayout::gold); }
