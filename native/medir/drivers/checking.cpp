#include "drivers/checking.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "pairs/matching.hpp"

namespace medir {

namespace {

// Calls look(matching, thread) for the judgments of each query.
template <class Look>
void look_through(const Lists& qrels, const Reading& reading, int threads, Look look) {
    parallel_blocks(qrels.queries(), 64, threads, nullptr, [&](std::size_t first, std::size_t last, int thread) {
        Matching matching;
        for (std::size_t query = first; query < last; ++query) {
            matching.match({nullptr, 0, 0}, {nullptr, 0, 0}, &qrels, query, reading, qrels.has_numbers());
            look(matching, static_cast<std::size_t>(thread));
        }
    });
    qrels.check_source();
}

Reading judgments_alone(Intents intents, std::shared_ptr<const Clusters> clusters) {
    return {0, Repeats::error, intents, Ties::ignored, {UnseenRule::nothing, {}}, std::move(clusters)};
}

int highest_grade(const Lists& qrels, Intents intents, int threads) {
    std::vector<int> highest(static_cast<std::size_t>(threads), 0);
    look_through(qrels, judgments_alone(intents, nullptr), threads, [&](const Matching& matching, std::size_t thread) {
        for (const Document& document : matching.documents())
            highest[thread] = std::max(highest[thread], document.grade);
    });
    return *std::max_element(highest.begin(), highest.end());
}

}  // namespace

Judgments check_judgments(std::shared_ptr<const Lists> qrels, const Grading& grading, Intents intents, int threads) {
    const auto graded = [&](GradedLists::Scale scale) {
        return std::make_shared<const GradedLists>(qrels, grading, scale);
    };
    if (!grading.levels.empty()) {
        const auto lists = graded(GradedLists::Scale::levels);
        return {lists, highest_grade(*lists, intents, threads), false};
    }
    try {
        const auto lists = graded(GradedLists::Scale::whole);
        const int highest = highest_grade(*lists, intents, threads);
        if (lists->changed()) return {lists, highest, false};
        return {std::move(qrels), highest, false};
    } catch (const ShareFound&) {  // one fraction makes all values shares
        const auto lists = graded(GradedLists::Scale::shares);
        return {lists, highest_grade(*lists, intents, threads), true};
    }
}

std::size_t count_disagreements(const Lists& qrels, std::shared_ptr<const Clusters> clusters, Intents intents,
                                int threads) {
    std::vector<std::size_t> counts(static_cast<std::size_t>(threads), 0);
    look_through(qrels, judgments_alone(intents, std::move(clusters)), threads,
                 [&](const Matching& matching, std::size_t thread) { counts[thread] += matching.disagreements(); });
    return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

InputError grade_error(const Lists& qrels, int limit) {
    std::vector<Entry> entries;
    Entry first{};
    std::size_t first_query = 0;
    for (std::size_t query = 0; query < qrels.queries(); ++query) {
        qrels.read(query, entries);
        for (const Entry& entry : entries) {
            if (entry.value > limit && (first.data == nullptr || entry.data < first.data)) {
                first = entry;
                first_query = query;
            }
        }
    }
    return qrels.error(
        first_query, first,
        "the grade " + std::to_string(static_cast<int>(first.value)) + " is above max_grade=" + std::to_string(limit),
        "Declare a higher max_grade, or fix the judgment.");
}

}  // namespace medir
