#include "pairing.hpp"

#include <algorithm>
#include <numeric>

namespace medir {

Pairing::Pairing(std::shared_ptr<const Lists> before, std::shared_ptr<const Lists> after, int threads)
    : before_(std::move(before)), after_(std::move(after)) {
    const auto before_count = static_cast<std::uint32_t>(before_->queries());
    const auto after_count = static_cast<std::uint32_t>(after_->queries());
    pairs_.resize(before_count);
    // Both runs mostly have the same queries in the same order: look there first, then in the index.
    std::vector<std::uint32_t> partner(after_count);
    parallel_blocks(after_count, 4096, threads, nullptr, [&](std::size_t first, std::size_t last, int) {
        for (std::size_t j = first; j < last; ++j) {
            const std::string_view id = after_->query(j);
            const bool in_order = j < before_count && before_->query(j) == id;
            partner[j] = in_order ? static_cast<std::uint32_t>(j) : before_->find(id);
        }
    });
    for (std::uint32_t i = 0; i < before_count; ++i) pairs_[i] = {i, ByteIndex::none};
    for (std::uint32_t j = 0; j < after_count; ++j) {
        if (partner[j] == ByteIndex::none)
            pairs_.push_back({ByteIndex::none, j});
        else
            pairs_[partner[j]].after = j;
    }
    only_after_ = pairs_.size() - before_count;
    only_before_ = pairs_.size() - after_count;
}

void Pairing::keep_common() {
    std::erase_if(pairs_,
                  [](const Pair& pair) { return pair.before == ByteIndex::none || pair.after == ByteIndex::none; });
}

namespace {

// Adds up what each thread counted.
Counts total(const std::vector<Counts>& parts) {
    return std::accumulate(parts.begin(), parts.end(), Counts{}, [](Counts sum, const Counts& part) {
        return Counts{sum.repeats + part.repeats, sum.without_relevant + part.without_relevant,
                      sum.short_lists + part.short_lists, sum.without_length + part.without_length};
    });
}

bool has_relevant(const Matching& matching) {
    return matching.judged() && std::any_of(matching.documents().begin(), matching.documents().end(),
                                            [](const Document& document) { return document.grade > 0; });
}

void match(const Pairing& pairing, std::size_t i, const Lists* qrels, const Options& options, Matching& matching) {
    const auto [before, after] = pairing[i];
    const std::uint32_t judged = qrels == nullptr ? ByteIndex::none : qrels->find(pairing.query(i));
    matching.match(before == ByteIndex::none ? nullptr : &pairing.before(), before,
                   after == ByteIndex::none ? nullptr : &pairing.after(), after,
                   judged == ByteIndex::none ? nullptr : qrels, judged, options.depth, options.repeats, options.intents,
                   options.ties);
    if (options.lengths != nullptr) matching.look_up(*options.lengths);
}

constexpr std::size_t block_size = 256;

}  // namespace

Counts compare(const Pairing& pairing, const Lists* qrels, const std::vector<std::shared_ptr<const Measure>>& measures,
               const Options& options, Columns columns, Progress& progress) {
    const std::size_t queries = pairing.size();
    const auto workers = static_cast<std::size_t>(options.threads);
    std::vector<Matching> matchings(workers);
    std::vector<Counts> counts(workers);
    parallel_blocks(
        queries, block_size, options.threads, &progress, [&](std::size_t first, std::size_t last, int thread) {
            Matching& matching = matchings[static_cast<std::size_t>(thread)];
            Counts& count = counts[static_cast<std::size_t>(thread)];
            for (std::size_t i = first; i < last; ++i) {
                match(pairing, i, qrels, options, matching);
                count.repeats += matching.repeats();
                count.without_length += matching.without_length();
                count.without_relevant += !has_relevant(matching);
                count.short_lists +=
                    std::min(matching.before_size(), matching.after_size()) < std::min(options.reach, options.depth);
                const Changes changes = matching.changes();
                columns.changes[i] = changes.entered;
                columns.changes[queries + i] = changes.left;
                columns.changes[2 * queries + i] = changes.moved;
                double* value = columns.values + i;
                for (const auto& measure : measures) {
                    const Difference difference = measure->difference(matching, options.unseen);
                    for (const double part : {difference.med, difference.gain, difference.loss, difference.lower}) {
                        *value = part;
                        value += queries;
                    }
                    if (difference.gap != 0) *value = difference.gap;
                    value += queries;
                }
            }
        });
    return total(counts);
}

Witness solve(const Pairing& pairing, const Lists* qrels, const Measure& measure, const Options& options,
              Matching& matching) {
    match(pairing, 0, qrels, options, matching);
    const Side before = before_side(matching), after = after_side(matching);
    Witness witness;
    measure.favour(matching, after, before, options.unseen, &witness.gain_relevance);
    measure.favour(matching, before, after, options.unseen, &witness.loss_relevance);
    return witness;
}

Counts score(const Lists& run, const Lists& qrels, const std::vector<std::shared_ptr<const Measure>>& measures,
             const Options& options, double* values) {
    const std::size_t queries = qrels.queries();
    const auto workers = static_cast<std::size_t>(options.threads);
    std::vector<Matching> matchings(workers);
    std::vector<Counts> counts(workers);
    parallel_blocks(queries, block_size, options.threads, nullptr,
                    [&](std::size_t first, std::size_t last, int thread) {
                        Matching& matching = matchings[static_cast<std::size_t>(thread)];
                        Counts& count = counts[static_cast<std::size_t>(thread)];
                        for (std::size_t i = first; i < last; ++i) {
                            const std::uint32_t ranked = run.find(qrels.query(i));
                            matching.match(ranked == ByteIndex::none ? nullptr : &run, ranked, nullptr, 0, &qrels, i,
                                           options.depth, options.repeats, options.intents);
                            if (options.lengths != nullptr) matching.look_up(*options.lengths);
                            count.repeats += matching.repeats();
                            count.without_relevant += !has_relevant(matching);
                            for (std::size_t m = 0; m < measures.size(); ++m)
                                values[m * queries + i] = measures[m]->score(matching);
                        }
                    });
    return total(counts);
}

}  // namespace medir
