#include "drivers/scoring.hpp"

#include "base/parallel.hpp"

namespace medir {

namespace {

constexpr std::size_t block_size = 256;

struct alignas(cache_line) Worker {
    Matching matching;
    Counts counts{0};
};

}  // namespace

Counts score(const Lists& run, const Lists& qrels, const std::vector<std::shared_ptr<const Effectiveness>>& measures,
             const Options& options, double* values) {
    const std::size_t queries = qrels.queries();
    const bool numbers = run.has_numbers() || qrels.has_numbers();
    std::vector<Worker> workers(static_cast<std::size_t>(options.threads));
    parallel_blocks(queries, block_size, options.threads, nullptr,
                    [&](std::size_t first, std::size_t last, int thread) {
                        auto& [matching, counts] = workers[static_cast<std::size_t>(thread)];
                        for (std::size_t i = first; i < last; ++i) {
                            const std::uint32_t ranked = run.find(qrels.query(i));
                            matching.match({ranked == ByteIndex::none ? nullptr : &run, ranked, 0}, {nullptr, 0, 0},
                                           &qrels, i, options.reading, numbers);
                            if (options.lengths != nullptr) matching.look_up(*options.lengths);
                            counts.add(matching, {});
                            for (std::size_t m = 0; m < measures.size(); ++m)
                                values[m * queries + i] = measures[m]->score(matching);
                        }
                    });
    run.check_source();
    qrels.check_source();
    if (options.lengths != nullptr) options.lengths->check_source();
    if (options.reading.clusters != nullptr) options.reading.clusters->check_source();
    Counts sum(0);
    for (const Worker& worker : workers) sum.add(worker.counts);
    return sum;
}

}  // namespace medir
