// Values as text: one row a query and measure, every number in full.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pairs/pairing.hpp"

namespace medir {

enum class RowFormat { csv, tsv, jsonl };

// Hands the text to `sink` piece by piece, in order. `values` as compare() left them.
void write_rows(const Pairing& pairing, const std::vector<std::string>& measures, const double* values,
                RowFormat format, int threads, const std::function<void(std::string_view)>& sink);

}  // namespace medir
