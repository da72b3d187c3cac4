// Several runs at once.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "lists/lists.hpp"

namespace medir {

// Several runs and their queries: those of the first run in its order, then those that the
// second has besides, and so on.
class Pool {
public:
    explicit Pool(std::vector<std::shared_ptr<const Lists>> runs);

    std::size_t size() const { return queries_.size() / runs_.size(); }
    std::string_view query(std::size_t i) const;
    std::size_t runs() const { return runs_.size(); }
    const Lists& run(std::size_t r) const { return *runs_[r]; }
    // The number of query `i` in run `r`; ByteIndex::none where the run does not have it.
    std::uint32_t number(std::size_t i, std::size_t r) const { return queries_[i * runs_.size() + r]; }
    // Throws an error where the file of a run has changed.
    void check_sources() const {
        for (const auto& run : runs_) run->check_source();
    }
    bool in_all(std::size_t i) const;
    // Whether ids of documents are numbers in any run.
    bool has_numbers() const;
    // Leaves out the queries that some run does not have.
    void keep_common();

private:
    std::vector<std::shared_ptr<const Lists>> runs_;
    std::vector<std::uint32_t> queries_;  // by query and run
};

}  // namespace medir
