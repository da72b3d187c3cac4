// What the comparison of many queries asks of a measure, whether it knows of relevance or not.
#pragma once

#include <memory>

#include "pairs/difference.hpp"
#include "pairs/matching.hpp"

namespace medir {

// The memory that a measure works in, kept from one query to the next. A thread has its own for each measure.
class Workspace {
public:
    Workspace() = default;
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;
    virtual ~Workspace() = default;
};

class Measure {
public:
    virtual ~Measure() = default;

    virtual std::unique_ptr<Workspace> workspace() const { return std::make_unique<Workspace>(); }
    // `workspace` is one that this measure has made.
    virtual Difference difference(const Matching& matching, Workspace& workspace) const = 0;
    // Whether unseen ranks count.
    virtual bool looks_below() const { return true; }
    // Whether a value is found at once, without a search.
    virtual bool at_once() const { return false; }
};

}  // namespace medir
