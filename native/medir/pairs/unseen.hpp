// Which lists have unseen ranks below them: those that were cut, not those that ended.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "lists/lists.hpp"
#include "pairs/numbering.hpp"

namespace medir {

enum class UnseenRule { automatic, anything, nothing };

class Unseen {
public:
    // By run: the length at which its lists were cut. Only the automatic rule asks for it.
    Unseen(UnseenRule rule, std::vector<std::size_t> cuts) : rule_(rule), cuts_(std::move(cuts)) {}

    std::size_t runs() const { return cuts_.size(); }
    // Whether a list of `length` results, which is shown down to `depth`, was cut.
    bool cut(std::size_t run, std::size_t length, std::size_t depth) const {
        if (rule_ != UnseenRule::automatic) return rule_ == UnseenRule::anything;
        return length > 0 && (length >= cuts_[run] || length > depth);
    }

private:
    UnseenRule rule_;
    std::vector<std::size_t> cuts_;
};

// The lengths of all lists of a run, without results that repeat a document where these are dropped.
ListLengths list_lengths(const Lists& run, Repeats repeats, int threads);

}  // namespace medir
