#include "drivers/comparing_passages.hpp"

#include <algorithm>
#include <limits>

#include "trails/weighing.hpp"

namespace medir {

void lay_out(const Pairing& pairing, std::size_t query, const Lists* gold, const Scope& scope, Trailtexts& trails) {
    const auto source = [](const Passages& passages, std::uint32_t number) {
        return Trailtexts::Source{number == ByteIndex::none ? nullptr : &passages, number};
    };
    const auto& before = dynamic_cast<const Passages&>(pairing.before());
    const auto& after = dynamic_cast<const Passages&>(pairing.after());
    Trailtexts::Source judged{nullptr, 0};
    if (gold != nullptr) judged = source(dynamic_cast<const Passages&>(*gold), gold->find(pairing.query(query)));
    trails.lay_out({source(before, pairing[query].before), source(after, pairing[query].after)}, judged, scope,
                   before.timed() || after.timed());
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
    struct Worker {
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

}  // namespace medir
