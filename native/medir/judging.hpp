// Which documents to judge next: those that leave least room for a difference, whatever their grade turns out to be.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "lists.hpp"
#include "measure.hpp"
#include "pairing.hpp"
#include "parallel.hpp"

namespace medir {

// The runs whose documents may be judged, and their queries: those of the first run in its order, then those that the
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
    bool in_all(std::size_t i) const;
    // Leaves out the queries that some run does not have.
    void keep_common();

private:
    std::vector<std::shared_ptr<const Lists>> runs_;
    std::vector<std::uint32_t> queries_;  // by query and run
};

// All values are means over the pairs of runs.
struct Suggestion {
    std::size_t query;
    std::string_view document;
    double reduction;         // of gain + loss, guaranteed
    double med, worst, best;  // before the judgment, and after it over the possible grades
    std::uint32_t rank;       // the best in any run
    std::uint32_t order;      // among the documents of the query
};

// The grades that a document can get.
struct Scale {
    std::vector<std::int32_t> grades;
    std::vector<std::int64_t> available;  // by grade: how many documents have it; empty where that is not known
};

// The `most` best documents to judge, best first. Documents whose judgment would change nothing are left out.
std::vector<Suggestion> judge(const Pool& pool, const Lists* qrels, const Measure& measure, const Scale& scale,
                              const Options& options, std::size_t most, Progress& progress);

}  // namespace medir
