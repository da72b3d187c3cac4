#include "drivers/comparing.hpp"

#include <algorithm>
#include <cmath>

namespace medir {

namespace {

constexpr std::size_t block_size = 256, between_looks = 16;  // queries; what takes long looks by itself

}  // namespace

Difference difference(const Measure& measure, Matching& matching, std::size_t reach, Workspace& workspace) {
    return with_unseen(measure.difference(matching, workspace), measure, matching, reach, workspace);
}

Difference with_unseen(Difference difference, const Measure& measure, Matching& matching, std::size_t reach,
                       Workspace& workspace) {
    if (measure.looks_below() && matching.has_unseen(reach) && !std::isnan(difference.med))
        difference.unseen = added_by_unseen(
            difference.med, matching.as_if_ended([&] { return measure.difference(matching, workspace).med; }));
    return difference;
}

void match_query(const Pairing& pairing, std::size_t query, const Lists* qrels, const Options& options,
                 Matching& matching) {
    const auto [before, after] = pairing[query];
    const std::uint32_t judged = qrels == nullptr ? ByteIndex::none : qrels->find(pairing.query(query));
    matching.match({before == ByteIndex::none ? nullptr : &pairing.before(), before, 0},
                   {after == ByteIndex::none ? nullptr : &pairing.after(), after, 1},
                   judged == ByteIndex::none ? nullptr : qrels, judged, options.reading,
                   pairing.has_numbers() || (qrels != nullptr && qrels->has_numbers()));
    if (options.lengths != nullptr) matching.look_up(*options.lengths);
}

void Columns::write(std::size_t query, std::size_t measure, const Difference& difference) const {
    if (values == nullptr) return;
    const auto row = difference.row();
    double* value = values + measure * row.size() * queries + query;
    for (std::size_t c = 0; c < row.size(); ++c, value += queries)
        if (row[c] != 0) *value = row[c];  // nearly all gaps are 0: their memory is not touched
}

void Columns::write(std::size_t query, std::size_t measure, const Changes& row) const {
    if (changes == nullptr) return;
    std::uint32_t* value = changes + measure * change_columns.size() * queries + query;
    for (const std::uint32_t number : row.row()) {
        *value = number;
        value += queries;
    }
}

namespace {

// Compares one query after the other. A thread has its own.
class alignas(cache_line) Worker {
public:
    Worker(const Pairing& pairing, const Lists* qrels, const std::vector<std::shared_ptr<const Measure>>& measures,
           const Options& options, Columns columns, Shards* shards)
        : pairing_(pairing),
          qrels_(qrels),
          measures_(measures),
          options_(options),
          columns_(columns),
          shards_(shards),
          asks_for_documents_(qrels != nullptr || shards != nullptr || options.lengths != nullptr ||
                              options.reading.clusters != nullptr || options.reading.ties == Ties::kept),
          counts_(measures.size()) {
        for (const auto& measure : measures) workspaces_.push_back(measure == nullptr ? nullptr : measure->workspace());
        if (shards != nullptr) writer_ = std::make_unique<ShardWriter>(shards->measures, shards->occurring);
    }

    const Counts& counts() const { return counts_; }

    void begin() {
        if (writer_ != nullptr) writer_->begin();
    }

    void compare(std::size_t query) {
        pairing_.prefetch(query);
        if (!match_compared(query)) match_query(pairing_, query, qrels_, options_, matching_);
        counts_.add(matching_, options_.reaches);
        for (std::size_t m = 0; m < measures_.size(); ++m) {
            columns_.write(query, m, matching_.changes(options_.reaches[m]));
            if (measures_[m] != nullptr) columns_.write(query, m, difference(m));
        }
        if (writer_ != nullptr) shards_->checksums[query] = writer_->append(pairing_.query(query), matching_);
    }

    void end(std::size_t first) {
        if (writer_ != nullptr) shards_->sink(writer_->end(first / shards_->queries));
    }

private:
    // What was found while the runs were read is enough where nobody asks which documents these are.
    bool match_compared(std::size_t query) {
        if (asks_for_documents_) return false;
        const ComparedLists lists = pairing_.compared(query);
        if (lists.places == nullptr || std::max(lists.before_size, lists.after_size) > options_.reading.depth)
            return false;
        matching_.match(lists, options_.reading);
        return true;
    }
    // The relevance that makes it goes to the shards, where these ask for it.
    Difference difference(std::size_t m) {
        const std::size_t reach = options_.reaches[m];
        const Multilinear* kernel = shards_ == nullptr ? nullptr : shards_->measures[m].kernel.get();
        if (kernel == nullptr) return medir::difference(*measures_[m], matching_, reach, *workspaces_[m]);
        Solution solution = kernel->solve(matching_, *workspaces_[m]);
        const Difference found = solution.difference;
        writer_->take(m, std::move(solution));
        return columns_.values == nullptr ? found : with_unseen(found, *kernel, matching_, reach, *workspaces_[m]);
    }

    const Pairing& pairing_;
    const Lists* qrels_;
    const std::vector<std::shared_ptr<const Measure>>& measures_;
    const Options& options_;
    Columns columns_;
    Shards* shards_;
    const bool asks_for_documents_;
    Matching matching_;
    Counts counts_;
    std::vector<std::unique_ptr<Workspace>> workspaces_;
    std::unique_ptr<ShardWriter> writer_;
};

}  // namespace

Counts compare(const Pairing& pairing, const Lists* qrels, const std::vector<std::shared_ptr<const Measure>>& measures,
               const Options& options, Columns columns, Shards* shards, Progress& progress) {
    std::vector<std::unique_ptr<Worker>> workers;
    for (int i = 0; i < options.threads; ++i)
        workers.push_back(std::make_unique<Worker>(pairing, qrels, measures, options, columns, shards));
    const std::size_t block = shards == nullptr ? block_size : shards->queries;
    parallel_blocks(pairing.size(), block, options.threads, &progress,
                    [&](std::size_t first, std::size_t last, int thread) {
                        Worker& worker = *workers[static_cast<std::size_t>(thread)];
                        worker.begin();
                        for (std::size_t i = first; i < last; ++i) {
                            if (i % between_looks == 0) progress.look(thread);
                            worker.compare(i);
                        }
                        worker.end(first);
                    });
    check_sources(pairing, qrels, options);
    Counts sum(measures.size());
    for (const auto& worker : workers) sum.add(worker->counts());
    return sum;
}

}  // namespace medir
