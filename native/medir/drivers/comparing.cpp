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

Counts compare(const Pairing& pairing, const Lists* qrels, const std::vector<std::shared_ptr<const Measure>>& measures,
               const Options& options, Columns columns, Progress& progress) {
    const std::size_t queries = pairing.size();
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
        queries, block_size, options.threads, &progress, [&](std::size_t first, std::size_t last, int thread) {
            auto& [matching, counts, workspaces] = all[static_cast<std::size_t>(thread)];
            for (std::size_t i = first; i < last; ++i) {
                progress.look(thread);
                match_query(pairing, i, qrels, options, matching);
                counts.add(matching);
                counts.short_lists +=
                    std::min(matching.before_size(), matching.after_size()) < std::min(options.reach, options.depth);
                const Changes changes = matching.changes();
                columns.changes[i] = changes.entered;
                columns.changes[queries + i] = changes.left;
                columns.changes[2 * queries + i] = changes.moved;
                double* value = columns.values + i;
                for (std::size_t m = 0; m < measures.size(); ++m) {
                    const Difference difference = measures[m]->difference(matching, options.unseen, *workspaces[m]);
                    for (const double part : {difference.med, difference.gain, difference.loss, difference.lower}) {
                        *value = part;
                        value += queries;
                    }
                    if (difference.gap != 0) *value = difference.gap;
                    value += queries;
                }
            }
        });
    Counts sum;
    for (const Worker& worker : all) sum.add(worker.counts);
    return sum;
}

}  // namespace medir
