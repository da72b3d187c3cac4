#include "drivers/scoring.hpp"

#include "base/parallel.hpp"

namespace medir {

namespace {

constexpr std::size_t block_size = 256;

}  // namespace

Counts score(const Lists& run, const Lists& qrels, const std::vector<std::shared_ptr<const Effectiveness>>& measures,
             const Options& options, double* values) {
    const std::size_t queries = qrels.queries();
    const bool numbers = run.has_numbers() || qrels.has_numbers();
    const auto workers = static_cast<std::size_t>(options.threads);
    std::vector<Matching> matchings(workers);
    std::vector<Counts> counts(workers, Counts(0));
    parallel_blocks(queries, block_size, options.threads, nullptr,
                    [&](std::size_t first, std::size_t last, int thread) {
                        Matching& matching = matchings[static_cast<std::size_t>(thread)];
                        Counts& count = counts[static_cast<std::size_t>(thread)];
                        for (std::size_t i = first; i < last; ++i) {
                            const std::uint32_t ranked = run.find(qrels.query(i));
                            matching.match({ranked == ByteIndex::none ? nullptr : &run, ranked, 0}, {nullptr, 0, 0},
                                           &qrels, i, options.reading, numbers);
                            if (options.lengths != nullptr) matching.look_up(*options.lengths);
                            count.add(matching, {});
                            for (std::size_t m = 0; m < measures.size(); ++m)
                                values[m * queries + i] = measures[m]->score(matching);
                        }
                    });
    run.check_source();
    qrels.check_source();
    if (options.lengths != nullptr) options.lengths->check_source();
    if (options.reading.clusters != nullptr) options.reading.clusters->check_source();
    Counts sum(0);
    for (const Counts& part : counts) sum.add(part);
    return sum;
}

}  // namespace medir
