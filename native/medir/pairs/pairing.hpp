// Which queries of two runs are compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "lists/lists.hpp"

namespace medir {

// The queries of two runs: those of `before` in its order, then those of `after` alone in its order.
class Pairing {
public:
    Pairing(std::shared_ptr<const Lists> before, std::shared_ptr<const Lists> after, int threads);

    std::size_t size() const { return pairs_.size(); }
    std::string_view query(std::size_t i) const {
        const Pair& pair = pairs_[i];
        return pair.before != ByteIndex::none ? before_->query(pair.before) : after_->query(pair.after);
    }
    std::size_t only_before() const { return only_before_; }
    std::size_t only_after() const { return only_after_; }
    // Both lists of a query where they were compared while they were read; without places where they were not.
    ComparedLists compared(std::size_t i) const;
    // The position of a query, or size() where neither run has it.
    std::size_t find(std::string_view query) const;
    // Leaves out the queries of one run only.
    void keep_common();
    // Puts the queries of `before`, and those of `after` alone, in the order of their ids, byte by byte.
    void sort();
    // Takes the queries of `after` alone out of this pairing, into one of their own.
    Pairing take_only_after();

    // Asks for the memory of the lists that are read soon after those of a position.
    void prefetch(std::size_t position) const;

    struct Pair {
        std::uint32_t before, after;  // ByteIndex::none where the run does not have the query
    };
    const Pair& operator[](std::size_t i) const { return pairs_[i]; }
    // Whether ids of documents are numbers in any run.
    bool has_numbers() const { return before_->has_numbers() || after_->has_numbers(); }
    const Lists& before() const { return *before_; }
    const Lists& after() const { return *after_; }
    // Throws an error where the file of a run has changed.
    void check_sources() const {
        before_->check_source();
        after_->check_source();
    }

private:
    Pairing() = default;
    void look_up_others(int threads);
    using Pairs = std::vector<Pair>;
    void sort(std::size_t first, std::size_t last);
    // Where the queries of `after` alone begin.
    Pairs::const_iterator only_after_begin() const;

    std::shared_ptr<const Lists> before_, after_;
    Pairs pairs_;
    std::size_t only_before_ = 0, only_after_ = 0;
    bool sorted_ = false;
};

}  // namespace medir
