#include "drivers/comparing.hpp"

#include <algorithm>

namespace medir {

namespace {

constexpr std::size_t block_size = 256;

}  // namespace

void match_query(const Pairing& pairing, std::size_t query, const Lists* qrels, const Options& options,
                 Matching& matching) {
    const auto [before, after] = pairing[query];
    const std::uint32_t judged = qrels == nullptr ? ByteIndex::none : qrels->find(pairing.query(query));
    matching.match(before == ByteIndex::none ? nullptr : &pairing.before(), before,
                   after == ByteIndex::none ? nullptr : &pairing.after(), after,
                   judged == ByteIndex::none ? nullptr : qrels, judged, options.depth, options.repeats, options.intents,
                   options.ties);
    if (options.lengths != nullptr) matching.look_up(*options.lengths);
}

void Columns::write(std::size_t query, std::size_t measure, const Difference& difference) const {
    const auto row = difference.row();
    const std::size_t gap = row.size() - 1;
    double* value = values + measure * row.size() * queries + query;
    for (std::size_t c = 0; c < gap; ++c, value += queries) *value = row[c];
    if (row[gap] != 0) *value = row[gap];  // nearly all are 0: their memory is not touched
}

void Columns::write(std::size_t query, const Changes& row) const {
    std::uint32_t* value = changes + query;
    for (const std::uint32_t number : row.row()) {
        *value = number;
        value += queries;
    }
}

Counts compare(const Pairing& pairing, const Lists* qrels, const std::vector<std::shared_ptr<const Measure>>& measures,
               const Options& options, Columns columns, Progress& progress) {
    const auto workers = static_cast<std::size_t>(options.threads);
    struct Worker {
        Matching matching;
        Counts counts;
        std::vector<std::unique_ptr<Workspace>> workspaces;
    };
    std::vector<Worker> all(workers);
    for (Worker& worker : all)
        for (const auto& measure : measures) worker.workspaces.push_back(measure->workspace());
    parallel_blocks(
        pairing.size(), block_size, options.threads, &progress, [&](std::size_t first, std::size_t last, int thread) {
            auto& [matching, counts, workspaces] = all[static_cast<std::size_t>(thread)];
            for (std::size_t i = first; i < last; ++i) {
                progress.look(thread);
                match_query(pairing, i, qrels, options, matching);
                counts.add(matching);
                counts.short_lists +=
                    std::min(matching.before_size(), matching.after_size()) < std::min(options.reach, options.depth);
                columns.write(i, matching.changes());
                for (std::size_t m = 0; m < measures.size(); ++m)
                    columns.write(i, m, measures[m]->difference(matching, options.unseen, *workspaces[m]));
            }
        });
    Counts sum;
    for (const Worker& worker : all) sum.add(worker.counts);
    return sum;
}

}  // namespace medir
