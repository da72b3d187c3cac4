#include "pairs/unseen.hpp"

#include "base/parallel.hpp"

namespace medir {

ListLengths list_lengths(const Lists& run, Repeats repeats, int threads) {
    if (repeats == Repeats::error) return run.lengths();
    struct alignas(cache_line) Worker {
        ListLengths lengths;
        std::vector<Entry> entries;
        Numbering<Entry> numbering;
    };
    std::vector<Worker> all(static_cast<std::size_t>(threads));
    parallel_blocks(run.queries(), 256, threads, nullptr, [&](std::size_t first, std::size_t last, int thread) {
        auto& [lengths, entries, numbering] = all[static_cast<std::size_t>(thread)];
        for (std::size_t query = first; query < last; ++query) {
            run.read(query, entries);
            numbering.reset(entries.size());
            for (const Entry& entry : entries) numbering.number(entry);
            lengths.add(numbering.size());
        }
    });
    ListLengths sum;
    sum.asked = run.lengths().asked;
    for (const Worker& worker : all) sum.add(worker.lengths);
    return sum;
}

}  // namespace medir
