#include "drivers/comparing.hpp"

#include <cmath>

namespace medir {

namespace {

constexpr std::size_t block_size = 256;

}  // namespace

Difference difference(const Measure& measure, Matching& matching, std::size_t reach, Workspace& workspace) {
    Difference difference = measure.difference(matching, workspace);
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
    const auto row = difference.row();
    double* value = values + measure * row.size() * queries + query;
    for (std::size_t c = 0; c < row.size(); ++c, value += queries)
        if (row[c] != 0) *value = row[c];  // nearly all gaps are 0: their memory is not touched
}

void Columns::write(std::size_t query, std::size_t measure, const Changes& row) const {
    std::uint32_t* value = changes + measure * change_columns.size() * queries + query;
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
    std::vector<Worker> all;
    for (std::size_t i = 0; i < workers; ++i) {
        all.push_back({{}, Counts(measures.size()), {}});
        for (const auto& measure : measures)
            all.back().workspaces.push_back(measure == nullptr ? nullptr : measure->workspace());
    }
    parallel_blocks(
        pairing.size(), block_size, options.threads, &progress, [&](std::size_t first, std::size_t last, int thread) {
            auto& [matching, counts, workspaces] = all[static_cast<std::size_t>(thread)];
            for (std::size_t i = first; i < last; ++i) {
                progress.look(thread);
                match_query(pairing, i, qrels, options, matching);
                counts.add(matching, options.reaches);
                for (std::size_t m = 0; m < measures.size(); ++m) {
                    columns.write(i, m, matching.changes(options.reaches[m]));
                    if (measures[m] != nullptr)
                        columns.write(i, m, difference(*measures[m], matching, options.reaches[m], *workspaces[m]));
                }
            }
        });
    check_sources(pairing, qrels, options);
    Counts sum(measures.size());
    for (const Worker& worker : all) sum.add(worker.counts);
    return sum;
}

}  // namespace medir
