// Values as text: one row per query and measure, every number in full.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/fields.hpp"
#include "lists/query_table.hpp"
#include "pairs/pairing.hpp"

namespace medir {

// What rows are made of. Values and changes as compare() left them; a measure that compares ranks has its value in the
// first column.
struct Compared {
    const Pairing& pairing;
    const std::vector<std::string>& measures;
    const std::vector<bool>& of_ranks;  // by measure: a rank similarity or distance
    const double* values;
    const std::uint32_t* changes;
    const QueryRows* table;  // what is known of the queries; null for nothing
};

// Hands the text to `sink` piece by piece, in order. A column for the value of measures that compare ranks follows
// those of a difference, then the changes, then those of the table.
void write_rows(const Compared& compared, const RowLayout& layout, int threads, const Sink& sink);

inline constexpr std::string_view rank_column = "value";

}  // namespace medir
