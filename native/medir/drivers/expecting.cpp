#include "drivers/expecting.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

#include "drivers/comparing.hpp"

namespace medir {

namespace {

constexpr std::size_t block_size = 16;

std::uint64_t mix_text(std::uint64_t hash, std::string_view text) {
    hash = mix_hash(hash, text.size());
    for (std::size_t i = 0; i < text.size(); i += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + i, std::min<std::size_t>(8, text.size() - i));
        hash = mix_hash(hash, word);
    }
    return hash;
}

// Adds up the sums of blocks in their order, whichever comes first.
class OrderedSums {
public:
    explicit OrderedSums(std::size_t size) : sums_(size) {}

    void add(std::size_t block, std::vector<Sum> part) {
        const std::scoped_lock lock(guard_);
        waiting_.emplace(block, std::move(part));
        for (; !waiting_.empty() && waiting_.begin()->first == next_; ++next_) {
            const std::vector<Sum>& first = waiting_.begin()->second;
            for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i].add(first[i]);
            waiting_.erase(waiting_.begin());
        }
    }
    void write(double* sums) const {
        for (const Sum& sum : sums_) *sums++ = sum.value();
    }

private:
    std::vector<Sum> sums_;
    std::size_t next_ = 0;
    std::map<std::size_t, std::vector<Sum>> waiting_;
    std::mutex guard_;
};

// The queries that one thread looks at, one after the other; keeps its memory.
class alignas(cache_line) Worker {
public:
    Worker(const Pairing& pairing, const Lists* qrels, const std::vector<std::shared_ptr<const Multilinear>>& measures,
           const Options& options, const Prior& prior, const Expecting& expecting, const Estimates& estimates)
        : pairing_(pairing),
          qrels_(qrels),
          measures_(measures),
          options_(options),
          prior_(prior),
          expecting_(expecting),
          estimates_(estimates),
          chances_(expecting.sampling),
          counts_(options.reaches.size()) {}

    // Adds the differences of each sample to `sums`, measure by measure.
    void look_at(std::size_t query, Sum* sums) {
        match_query(pairing_, query, qrels_, options_, matching_);
        key_ = mix_text(expecting_.seed, pairing_.query(query));
        count(query);
        look_up(query);
        for (std::size_t m = 0; m < measures_.size(); ++m) {
            lay_out(expecting_.reaches[m], measures_[m]->looks_below());
            const Estimate estimate =
                chances_.estimate(lottery_, *measures_[m], sums + m * expecting_.sampling.samples);
            write(query, m, estimate);
        }
    }
    const ExpectedCounts& counts() const { return counts_; }

private:
    void count(std::size_t query) {
        counts_.Counts::add(matching_, options_.reaches);
        const Columns columns{nullptr, estimates_.changes, pairing_.size()};
        for (std::size_t m = 0; m < options_.reaches.size(); ++m)
            columns.write(query, m, matching_.changes(options_.reaches[m]));
    }

    // The random numbers of a document are those of the better place where it stands, so that they do not depend on
    // how deep any other measure looks, and what stands at an unseen rank has those of the rank.
    std::uint64_t key(std::size_t rank, bool after) const { return mix_hash(key_, 2 * rank + after); }

    double by_rank(std::size_t rank) const {
        if (prior_.by_document != nullptr || rank > prior_.by_rank.size()) return prior_.fallback;
        return prior_.by_rank[rank - 1];
    }

    void look_up(std::size_t query) {
        std::uint32_t named = ByteIndex::none;
        if (prior_.by_document != nullptr) named = prior_.by_document->find(pairing_.query(query));
        probabilities_.clear();
        if (named != ByteIndex::none) prior_.by_document->read(named, probabilities_);
        index_.reset(probabilities_.size());
        for (std::uint32_t i = 0; i < probabilities_.size(); ++i)
            index_.find_or_add(probabilities_[i].hash, i, [](std::uint32_t) { return false; });
        known_.clear();
        for (std::size_t d = 0; d < matching_.documents().size(); ++d) {
            const auto [before, after, grade] = matching_.documents()[d];
            if (before + after == 0) {
                known_.push_back({0, 0});
                continue;
            }
            const bool in_after_first = before == 0 || (after != 0 && after < before);
            const std::size_t best = in_after_first ? after : before;
            const bool unjudged = grade == Document::unjudged;
            counts_.unjudged += unjudged;
            known_.push_back({by_rank(best), key(best, in_after_first)});
            if (prior_.by_document == nullptr) continue;
            const Entry& entry = options_.reading.key(matching_.entry(d));
            const std::uint32_t found =
                index_.find(entry.text_hash(), [&](std::uint32_t i) { return probabilities_[i].same_document(entry); });
            if (found != ByteIndex::none)
                known_.back().probability = probabilities_[found].value;
            else
                counts_.without_prior += unjudged;
        }
    }

    void lay_out(std::size_t reach, bool looks_below) {
        lottery_.matching = &matching_;
        lottery_.chances = known_;
        lottery_.before.assign(std::min(matching_.before_size(), reach), 0);
        lottery_.after.assign(std::min(matching_.after_size(), reach), 0);
        for (std::uint32_t d = 0; d < matching_.documents().size(); ++d) {
            const auto [before, after, grade] = matching_.documents()[d];
            if (before != 0 && before <= reach) lottery_.before[before - 1] = d;
            if (after != 0 && after <= reach) lottery_.after[after - 1] = d;
        }
        for (const bool after : {false, true}) {
            if (!looks_below || !(after ? matching_.after_cut() : matching_.before_cut())) continue;
            auto& list = after ? lottery_.after : lottery_.before;
            while (list.size() < reach) {
                const std::size_t rank = list.size() + 1;
                list.push_back(static_cast<std::uint32_t>(lottery_.chances.size()));
                lottery_.chances.push_back({by_rank(rank), key(rank, after)});
            }
        }
    }

    // How many documents that a measure sees are unjudged, for any intent.
    std::size_t unjudged(const Multilinear& measure, std::size_t reach) const {
        const std::size_t intents = measure.intents(matching_), judged = matching_.intents().size();
        std::size_t count = 0;
        for (std::size_t d = 0; d < matching_.documents().size(); ++d) {
            const auto [before, after, grade] = matching_.documents()[d];
            if ((before == 0 || before > reach) && (after == 0 || after > reach)) continue;
            if (matching_.is_repeat(d)) continue;
            bool known = intents == 0 ? grade != Document::unjudged : judged == intents;
            for (std::size_t i = 0; known && intents != 0 && i < judged; ++i)
                known = matching_.grade(i, d) != Document::unjudged;
            count += !known;
        }
        return count;
    }

    void write(std::size_t query, std::size_t m, const Estimate& estimate) const {
        const std::size_t quantiles = expecting_.sampling.order.size(), queries = pairing_.size();
        double* value = estimates_.values + m * (Estimates::before_quantiles + quantiles) * queries + query;
        const auto put = [&](double number) {
            *value = number;
            value += queries;
        };
        for (const double number :
             {estimate.expected, estimate.variance, estimate.variance_error, estimate.rounding, estimate.helps,
              estimate.hurts, estimate.equal, static_cast<double>(unjudged(*measures_[m], expecting_.reaches[m])),
              estimate.samples})
            put(number);
        for (std::size_t q = 0; q < quantiles; ++q) put(estimate.quantiles[q]);
    }

    const Pairing& pairing_;
    const Lists* qrels_;
    const std::vector<std::shared_ptr<const Multilinear>>& measures_;
    const Options& options_;
    const Prior& prior_;
    const Expecting& expecting_;
    const Estimates& estimates_;
    Chances chances_;
    ExpectedCounts counts_;
    Matching matching_;
    Lottery lottery_;
    std::vector<Entry> probabilities_;
    ByteIndex index_;
    std::vector<Chance> known_;  // of the documents of the matching
    std::uint64_t key_ = 0;
};

}  // namespace

void ExpectedCounts::add(const ExpectedCounts& counts) {
    Counts::add(counts);
    unjudged += counts.unjudged;
    without_prior += counts.without_prior;
}

ExpectedCounts expect(const Pairing& pairing, const Lists* qrels,
                      const std::vector<std::shared_ptr<const Multilinear>>& measures, const Options& options,
                      const Prior& prior, const Expecting& expecting, Estimates estimates, Progress& progress) {
    std::vector<Worker> workers;
    workers.reserve(static_cast<std::size_t>(options.threads));
    for (int thread = 0; thread < options.threads; ++thread)
        workers.emplace_back(pairing, qrels, measures, options, prior, expecting, estimates);
    const std::size_t size = measures.size() * expecting.sampling.samples;
    OrderedSums sums(size);
    parallel_blocks(pairing.size(), block_size, options.threads, &progress,
                    [&](std::size_t first, std::size_t last, int thread) {
                        std::vector<Sum> part(size);
                        for (std::size_t query = first; query < last; ++query)
                            workers[static_cast<std::size_t>(thread)].look_at(query, part.data());
                        sums.add(first / block_size, std::move(part));
                    });
    sums.write(estimates.sums);
    check_sources(pairing, qrels, options);
    if (prior.by_document != nullptr) prior.by_document->check_source();
    ExpectedCounts total(options.reaches.size());
    for (const Worker& worker : workers) total.add(worker.counts());
    return total;
}

}  // namespace medir
