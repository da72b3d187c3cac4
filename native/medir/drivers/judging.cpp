#include "drivers/judging.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace medir {

namespace {

constexpr std::size_t block_size = 16;  // queries; those of AP and ERR can take long

// In steps that are larger than what rounding can make of equal values.
double stepped(double value) { return std::nearbyint(value * 0x1p40); }

bool better(const Suggestion& a, const Suggestion& b) {
    const auto key = [](const Suggestion& s) {
        return std::tuple(-stepped(s.reduction), stepped(s.worst), stepped(s.best), s.query, s.rank, s.order);
    };
    return key(a) < key(b);
}

// The best suggestions so far.
class Shortlist {
public:
    explicit Shortlist(std::size_t most) : most_(most) {}

    // Whether a suggestion of this reduction, or of any smaller one, cannot enter.
    bool excludes(double reduction) const {
        return kept_.size() == most_ && stepped(reduction) < stepped(kept_.front().reduction);
    }
    void add(const Suggestion& suggestion) {
        if (kept_.size() == most_) {
            if (!better(suggestion, kept_.front())) return;
            std::pop_heap(kept_.begin(), kept_.end(), better);
            kept_.pop_back();
        }
        kept_.push_back(suggestion);
        std::push_heap(kept_.begin(), kept_.end(), better);
    }
    const std::vector<Suggestion>& kept() const { return kept_; }

private:
    std::size_t most_;
    std::vector<Suggestion> kept_;  // a heap: the worst first
};

// Judges the documents of one query after the other, and keeps its memory.
class alignas(cache_line) Judge {
public:
    Judge(const Pool& pool, const Lists* qrels, const Effectiveness& measure, const Scale& scale,
          const Options& options, std::size_t most)
        : pool_(pool),
          qrels_(qrels),
          measure_(measure),
          workspace_(measure.workspace()),
          scale_(scale),
          options_(options),
          shortlist_(most) {
        for (std::size_t before = 0; before < pool.runs(); ++before)
            for (std::size_t after = before + 1; after < pool.runs(); ++after)
                pairs_.push_back({before, after, {}, {}});
    }

    void judge(std::size_t query) {
        match(query);
        if (shortlist_.excludes(mean(width_))) return;  // no document reduces it by more than all of it
        collect_candidates();
        find_possible_grades();
        for (std::uint32_t c = 0; c < numbering_.size(); ++c) judge(query, c);
    }
    const std::vector<Suggestion>& suggestions() const { return shortlist_.kept(); }

private:
    // Two runs, and the query as they have it.
    struct Pair {
        std::size_t before, after;
        Matching matching;
        Difference now;
    };
    // An unjudged document, and where it stands in the matchings of pairs. Of a cluster, the document of the best rank.
    struct Candidate {
        const Entry* shown;
        std::uint32_t rank;
        std::vector<std::pair<std::size_t, std::size_t>> places;

        void see(std::uint32_t at, const Entry& entry) {
            if (at == 0 || at >= rank) return;
            rank = at;
            shown = &entry;
        }
    };

    static double width(const Difference& difference) { return difference.gain + difference.loss; }
    double mean(double sum) const { return sum / static_cast<double>(pairs_.size()); }

    void match(std::size_t query) {
        const std::uint32_t judged = qrels_ == nullptr ? ByteIndex::none : qrels_->find(pool_.query(query));
        const auto list = [&](std::size_t run) {
            const std::uint32_t number = pool_.number(query, run);
            return ListOfRun{number == ByteIndex::none ? nullptr : &pool_.run(run), number, run};
        };
        width_ = med_ = 0;
        for (Pair& pair : pairs_) {
            pair.matching.match(list(pair.before), list(pair.after), judged == ByteIndex::none ? nullptr : qrels_,
                                judged, options_.reading, numbers_);
            pair.now = measure_.difference(pair.matching, *workspace_);
            width_ += width(pair.now);
            med_ += pair.now.med;
        }
    }

    void collect_candidates() {
        std::size_t most = 0;
        for (const Pair& pair : pairs_) most += pair.matching.before_size() + pair.matching.after_size();
        numbering_.reset(most);
        for (std::size_t p = 0; p < pairs_.size(); ++p) {
            const Matching& matching = pairs_[p].matching;
            for (std::size_t d = 0; d < matching.documents().size(); ++d) {
                const Document& document = matching.documents()[d];
                if (document.grade != Document::unjudged || document.before + document.after == 0) continue;
                Candidate& candidate = candidate_of(options_.reading.key(matching.entry(d)));
                candidate.see(document.before, matching.entry(d));
                candidate.see(document.after, matching.entry_after(d));
                candidate.places.emplace_back(p, d);
            }
        }
    }

    Candidate& candidate_of(const Entry& entry) {
        const std::size_t known = numbering_.size();
        const std::uint32_t number = numbering_.number(entry);
        if (candidates_.size() == number) candidates_.emplace_back();
        Candidate& candidate = candidates_[number];
        if (number == known) {
            candidate.rank = std::numeric_limits<std::uint32_t>::max();
            candidate.places.clear();
        }
        return candidate;
    }

    // A grade is not possible where all documents that have it are known.
    void find_possible_grades() {
        grades_ = scale_.grades;
        if (scale_.available.empty()) return;
        std::vector<std::int64_t> left = scale_.available;
        for (const Document& document : pairs_.front().matching.documents())
            if (document.grade != Document::unjudged) --left[static_cast<std::size_t>(document.grade)];
        std::erase_if(grades_,
                      [&](std::int32_t grade) { return grade > 0 && left[static_cast<std::size_t>(grade)] <= 0; });
    }

    void judge(std::size_t query, std::uint32_t number) {
        const Candidate& candidate = candidates_[number];
        double widest = 0, narrowest = width_, worst = 0, best = med_;
        for (const std::int32_t grade : grades_) {
            double width_after = width_, gap = 0, med = med_;
            for (const auto& [p, document] : candidate.places) {
                Pair& pair = pairs_[p];
                pair.matching.judge(document, grade);
                const Difference after = measure_.difference(pair.matching, *workspace_);
                pair.matching.judge(document, Document::unjudged);
                width_after += width(after) - width(pair.now);
                gap += after.gain_gap + after.loss_gap;
                med += after.med - pair.now.med;
            }
            widest = std::max(widest, width_after + gap);
            narrowest = std::min(narrowest, width_after);
            worst = std::max(worst, med);
            best = std::min(best, med);
            if (shortlist_.excludes(mean(width_ - widest))) return;
        }
        if (stepped(mean(width_ - narrowest)) <= 0) return;
        shortlist_.add({query, candidate.shown->document(), std::max(mean(width_ - widest), 0.0), mean(med_),
                        mean(worst), mean(best), candidate.rank, number});
    }

    const Pool& pool_;
    const Lists* qrels_;
    bool numbers_ = pool_.has_numbers() || (qrels_ != nullptr && qrels_->has_numbers());
    const Effectiveness& measure_;
    std::unique_ptr<Workspace> workspace_;
    const Scale& scale_;
    const Options& options_;
    Shortlist shortlist_;
    std::vector<Pair> pairs_;
    double width_ = 0, med_ = 0;  // of all pairs together
    std::vector<std::int32_t> grades_;
    Numbering<Entry> numbering_;         // of the candidates of this query
    std::vector<Candidate> candidates_;  // by number
};

}  // namespace

std::vector<Suggestion> judge(const Pool& pool, const Lists* qrels, const Effectiveness& measure, const Scale& scale,
                              const Options& options, std::size_t most, Progress& progress) {
    std::vector<Judge> judges;
    judges.reserve(static_cast<std::size_t>(options.threads));
    for (int thread = 0; thread < options.threads; ++thread)
        judges.emplace_back(pool, qrels, measure, scale, options, most);
    parallel_blocks(pool.size(), block_size, options.threads, &progress,
                    [&](std::size_t first, std::size_t last, int thread) {
                        for (std::size_t i = first; i < last; ++i) judges[static_cast<std::size_t>(thread)].judge(i);
                    });
    check_sources(pool, qrels, options);
    std::vector<Suggestion> all;
    for (const Judge& one : judges) all.insert(all.end(), one.suggestions().begin(), one.suggestions().end());
    std::sort(all.begin(), all.end(), better);
    all.resize(std::min(all.size(), most));
    return all;
}

}  // namespace medir
