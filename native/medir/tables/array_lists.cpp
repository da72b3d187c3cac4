#include "tables/array_lists.hpp"

#include "base/parallel.hpp"

namespace medir {

namespace {

bool is_unsigned(NumberKind kind) { return static_cast<int>(kind) % 2 == 1; }

}  // namespace

ArrayLists::ArrayLists(std::string name, Strings queries, ArrayView array, Whole pad, int threads)
    : name_(std::move(name)),
      queries_(std::move(queries)),
      array_(std::move(array)),
      pad_(pad),
      size_(std::size_t{1} << (static_cast<std::size_t>(array_.kind) / 2)) {
    // Without a sign, -1 is the greatest number.
    if (pad_ == -1 && is_unsigned(array_.kind)) pad_ = (Whole{1} << (8 * size_)) - 1;
    index_.reset(queries_.size());
    for (std::uint32_t number = 0; number < queries_.size(); ++number) {
        const auto known = index_.find_or_add(hash_bytes(queries_[number]), number,
                                              [&](std::uint32_t other) { return queries_[other] == queries_[number]; });
        if (known != ByteIndex::none)
            throw InputError(name_, 0, "rows " + std::to_string(known) + " and " + std::to_string(number),
                             "two rows have the query id '" + std::string(queries_[number]) + "'", "");
    }
    std::vector<ListLengths> parts(static_cast<std::size_t>(threads));
    parallel_blocks(array_.rows, 4096, threads, nullptr, [&](std::size_t first, std::size_t last, int thread) {
        ListLengths part;
        for (std::size_t row = first; row < last; ++row) part.add(length(row));
        parts[static_cast<std::size_t>(thread)].add(part);
    });
    for (const ListLengths& part : parts) lengths_.add(part);
    lengths_.asked = array_.width;
}

std::size_t ArrayLists::length(std::size_t row) const {
    std::size_t length = 0;
    while (length < array_.width && load_number(at(row, length), array_.kind) != pad_) ++length;
    for (std::size_t place = length; place < array_.width; ++place)
        if (load_number(at(row, place), array_.kind) != pad_)
            throw InputError(name_, 0, "row " + std::to_string(row),
                             "the number " + decimal(load_number(at(row, place), array_.kind)) + " stands behind " +
                                 decimal(pad_) + ", which ends a row",
                             "Say which number fills the rows: pad=... (--pad).");
    return length;
}

void ArrayLists::read(std::size_t query, std::vector<Entry>& entries) const {
    entries.clear();
    for (std::size_t place = 0; place < array_.width; ++place) {
        const char* const number = at(query, place);
        if (load_number(number, array_.kind) == pad_) return;
        entries.push_back(Entry::number(number, array_.kind, static_cast<double>(array_.width - place)));
    }
}

InputError ArrayLists::error(std::size_t query, const Entry& entry, std::string problem, std::string remedy) const {
    const std::string text = "query " + std::string(queries_[query]) + ", document " + entry.document();
    return InputError(name_, 0, text, std::move(problem), std::move(remedy));
}

}  // namespace medir
