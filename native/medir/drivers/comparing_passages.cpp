#include "drivers/comparing_passages.hpp"

#include <algorithm>
#include <limits>

#include "trails/weighing.hpp"

namespace medir {

namespace {

const Passages& passages_of(const Lists& lists) { return dynamic_cast<const Passages&>(lists); }

PassageSource source(const Passages& passages, std::uint32_t query) {
    return {query == ByteIndex::none ? nullptr : &passages, query};
}

PassageSource gold_of(const Lists* gold, std::string_view query) {
    if (gold == nullptr) return {nullptr, 0};
    return source(passages_of(*gold), gold->find(query));
}

}  // namespace

void lay_out(const Pairing& pairing, std::size_t query, const Lists* gold, const Scope& scope, Trailtexts& trails) {
    const Passages &before = passages_of(pairing.before()), &after = passages_of(pairing.after());
    trails.lay_out({source(before, pairing[query].before), source(after, pairing[query].after)},
                   gold_of(gold, pairing.query(query)), scope, before.timed() || after.timed());
}

namespace {

// Characters within reach that entered, left or moved. A stretch goes on side by side in both trailtexts, so the part
// of it within reach is its beginning.
Changes count_changes(const Trailtexts& trails, double reach) {
    BySide<double> alone{};
    double moved = 0;
    for (const Stretch& stretch : trails.stretches()) {
        BySide<double> counted{};
        for (const std::size_t side : {before_run, after_run}) {
            if (!stretch.is_shown(side)) continue;
            const double left = reach - static_cast<double>(stretch.places[side]);
            counted[side] = std::clamp(left, 0.0, static_cast<double>(stretch.length));
        }
        const double common = std::min(counted[before_run], counted[after_run]);
        for (const std::size_t side : {before_run, after_run}) alone[side] += counted[side] - common;
        if (stretch.places[before_run] != stretch.places[after_run]) moved += common;
    }
    const auto counted = [](double value) {
        return static_cast<std::uint32_t>(std::min<double>(value, std::numeric_limits<std::uint32_t>::max()));
    };
    return {counted(alone[after_run]), counted(alone[before_run]), counted(moved)};
}

Difference difference(const TrailMeasure& measure, Trailtexts& trails, double reach, Weighing& weighing) {
    weighing.weigh(trails, measure);
    Difference difference = weighing.difference();
    if (trails.has_unseen(reach))
        difference.unseen =
            added_by_unseen(difference.med, trails.as_if_ended([&] { return weighing.difference().med; }));
    return difference;
}

}  // namespace

TrailCounts compare_passages(const Pairing& pairing, const Lists* gold,
                             const std::vector<std::shared_ptr<const TrailMeasure>>& measures,
                             const TrailOptions& options, Columns columns, Progress& progress) {
    const auto workers = static_cast<std::size_t>(options.threads);
    struct alignas(cache_line) Worker {
        Trailtexts trails;
        Weighing weighing;
        TrailCounts counts;
    };
    std::vector<Worker> all(workers);
    TrailCounts sum;
    sum.unseen.resize(measures.size());
    sum.ended.resize(measures.size());
    for (Worker& worker : all) worker.counts = sum;
    parallel_blocks(
        pairing.size(), 64, options.threads, &progress, [&](std::size_t first, std::size_t last, int thread) {
            auto& [trails, weighing, counts] = all[static_cast<std::size_t>(thread)];
            for (std::size_t i = first; i < last; ++i) {
                lay_out(pairing, i, gold, options.scope, trails);
                counts.without_relevant += trails.gold() == 0;
                counts.empty += trails.empty();
                counts.repeated += static_cast<std::size_t>(trails.repeated(before_run) + trails.repeated(after_run));
                counts.gold_repeated += static_cast<std::size_t>(trails.gold_repeated());
                for (std::size_t m = 0; m < measures.size(); ++m) {
                    const double reach = options.reaches[m];
                    counts.unseen[m] += trails.has_unseen(reach);
                    counts.ended[m] += trails.has_ended(reach);
                    columns.write(i, m, count_changes(trails, reach));
                    columns.write(i, m, difference(*measures[m], trails, reach, weighing));
                }
            }
        });
    pairing.check_sources();
    if (gold != nullptr) gold->check_source();
    for (const Worker& one : all) {
        for (std::size_t m = 0; m < measures.size(); ++m) {
            sum.unseen[m] += one.counts.unseen[m];
            sum.ended[m] += one.counts.ended[m];
        }
        sum.without_relevant += one.counts.without_relevant;
        sum.empty += one.counts.empty;
        sum.repeated += one.counts.repeated;
        sum.gold_repeated += one.counts.gold_repeated;
    }
    return sum;
}

void compare_passage_pairs(const Pool& pool, const std::vector<std::pair<std::size_t, std::size_t>>& pairs,
                           const Lists* gold, const std::vector<std::shared_ptr<const TrailMeasure>>& measures,
                           const TrailOptions& options, double* values, PairNotes notes, std::uint8_t* finished,
                           Progress& progress) {
    struct alignas(cache_line) Worker {
        std::vector<Trailtext> texts;  // by run
        std::vector<Passage> gold;
        std::vector<PassageRank> scratch;
        Trailtexts trails;
        Weighing weighing;
    };
    std::vector<Worker> all(static_cast<std::size_t>(options.threads));
    for (Worker& worker : all) worker.texts.resize(pool.runs());
    for_each_unfinished(pool.size(), options.threads, finished, progress, [&](std::size_t query, int thread) {
        auto& [texts, judged, scratch, trails, weighing] = all[static_cast<std::size_t>(thread)];
        for (std::size_t r = 0; r < pool.runs(); ++r)
            source(passages_of(pool.run(r)), pool.number(query, r)).read(r, options.scope, texts[r], scratch);
        gold_of(gold, pool.query(query)).read(judged, scratch);
        for (std::size_t m = 0; m < measures.size(); ++m) notes.clear(m, query);  // of work that was interrupted
        for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
            const auto [a, b] = pairs[pair];
            const bool in_one = pool.number(query, a) != ByteIndex::none || pool.number(query, b) != ByteIndex::none;
            const bool differ = in_one && a != b;  // a run does not differ from itself, whatever is unseen
            const bool timed = passages_of(pool.run(a)).timed() || passages_of(pool.run(b)).timed();
            if (differ) trails.lay_out({&texts[a], &texts[b]}, judged, options.scope.closed, timed);
            for (std::size_t m = 0; m < measures.size(); ++m) {
                double& value = values[(m * pairs.size() + pair) * pool.size() + query];
                value = in_one ? 0 : std::numeric_limits<double>::quiet_NaN();
                if (!differ) continue;
                const double reach = options.reaches[m];
                const Difference found = difference(*measures[m], trails, reach, weighing);
                value = found.med;
                notes.add(m, query, found, found.unseen != 0, trails.has_ended(reach));
            }
        }
        pool.check_sources();  // what is marked as finished may be kept in a file
        if (gold != nullptr) gold->check_source();
    });
}

}  // namespace medir
