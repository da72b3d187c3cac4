// Values as text: one row per query and measure, every number in full.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "pairs/pairing.hpp"

namespace medir {

// Hands the text to `sink` piece by piece, in order. `values` as compare() left them.
void write_rows(const Pairing& pairing, const std::vector<std::string>& measures, const double* values,
                RowFormat format, int threads, const Sink& sink);

}  // namespace medir
