#include "drivers/matrix.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

namespace medir {

namespace {

// The lists of one query as numbers of documents.
class Numbered {
public:
    void number(const Pool& pool, std::size_t query, const Lists* qrels, const Options& options) {
        lists_.resize(pool.runs());
        entries_.resize(pool.runs() + 1);
        std::size_t count = 0;
        for (std::size_t r = 0; r < pool.runs(); ++r) {
            entries_[r].clear();
            if (pool.number(query, r) != ByteIndex::none) pool.run(r).read(pool.number(query, r), entries_[r]);
            count += entries_[r].size();
        }
        std::vector<Entry>& judgments = entries_.back();
        judgments.clear();
        const std::uint32_t judged = qrels == nullptr ? ByteIndex::none : qrels->find(pool.query(query));
        if (judged != ByteIndex::none) qrels->read(judged, judgments);
        index_.reset(count + judgments.size());
        ids_.clear();
        for (std::size_t r = 0; r < pool.runs(); ++r) number_list(pool, query, r, options);
        grades_.assign(ids_.size(), Document::unjudged);
        for (const Entry& entry : judgments) {
            const std::uint32_t document = find_or_add(entry);
            grades_.resize(ids_.size(), Document::unjudged);
            grades_[document] = std::max(grades_[document], static_cast<std::int32_t>(entry.value));
        }
        if (options.lengths != nullptr) look_up(*options.lengths);
    }
    const NumberedList& list(std::size_t run) const { return lists_[run]; }
    const std::vector<std::int32_t>& grades() const { return grades_; }
    const std::vector<double>& lengths() const { return lengths_; }
    bool judged() const { return !entries_.back().empty(); }

private:
    void number_list(const Pool& pool, std::size_t query, std::size_t r, const Options& options) {
        std::vector<std::uint32_t>& list = lists_[r].documents;
        std::vector<std::uint32_t>& ties = lists_[r].ties;
        list.clear();
        ties.clear();
        const Entry* above = nullptr;
        last_.resize(ids_.size(), 0);
        for (const Entry& entry : entries_[r]) {
            const std::uint32_t document = find_or_add(entry);
            last_.resize(ids_.size(), 0);
            if (last_[document] == marks_ + 1) {
                if (options.repeats == Repeats::first) continue;
                throw pool.run(r).error(pool.number(query, r), entry,
                                        "document '" + std::string(entry.document()) +
                                            "' stands twice in the list of query '" + std::string(pool.query(query)) +
                                            "'",
                                        "Remove one of them, or choose --duplicates first (duplicates=\"first\") to "
                                        "keep the one that is ranked higher.");
            }
            last_[document] = marks_ + 1;
            list.push_back(document);
            if (options.ties == Ties::kept) {
                const bool tied = above != nullptr && pool.run(r).tied(*above, entry);
                ties.push_back(tied ? ties.back() : static_cast<std::uint32_t>(list.size()));
                above = &entry;
            }
        }
        ++marks_;
        if (list.size() > options.depth) list.resize(options.depth);
    }

    void look_up(const Lengths& lengths) {
        lengths_.resize(ids_.size());
        for (std::size_t d = 0; d < ids_.size(); ++d) lengths_[d] = lengths.find(*ids_[d]);
        for (const auto& list : lists_)
            for (const std::uint32_t d : list.documents) {
                if (!std::isnan(lengths_[d])) continue;
                if (std::isnan(lengths.fallback())) throw lengths.missing(ids_[d]->document());
                lengths_[d] = lengths.fallback();
            }
    }

    std::uint32_t find_or_add(const Entry& entry) {
        const auto found = index_.find_or_add(entry.hash, static_cast<std::uint32_t>(ids_.size()),
                                              [&](std::uint32_t d) { return ids_[d]->same_document(entry); });
        if (found != ByteIndex::none) return found;
        ids_.push_back(&entry);
        return static_cast<std::uint32_t>(ids_.size() - 1);
    }

    std::vector<std::vector<Entry>> entries_;  // by run, then the judgments
    std::vector<NumberedList> lists_;
    std::vector<std::int32_t> grades_;
    std::vector<double> lengths_;
    std::vector<const Entry*> ids_;
    std::vector<std::uint64_t> last_;  // by document: the mark of the list where it was met last
    std::uint64_t marks_ = 0;
    ByteIndex index_;
};

}  // namespace

void compare_pairs(const Pool& pool, const std::vector<std::pair<std::size_t, std::size_t>>& pairs, const Lists* qrels,
                   const std::vector<std::shared_ptr<const Measure>>& measures, const Options& options, double* values,
                   double* gaps, std::uint8_t* finished, Progress& progress) {
    const std::size_t queries = pool.size();
    const auto workers = static_cast<std::size_t>(options.threads);
    std::vector<Numbered> numbered(workers);
    std::vector<Matching> matchings(workers);
    parallel_blocks(queries, 1, options.threads, &progress, [&](std::size_t query, std::size_t, int thread) {
        const std::atomic_ref<std::uint8_t> mark(finished[query]);
        if (mark.load(std::memory_order_relaxed) != 0) return;
        Numbered& lists = numbered[static_cast<std::size_t>(thread)];
        Matching& matching = matchings[static_cast<std::size_t>(thread)];
        lists.number(pool, query, qrels, options);
        for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
            const auto [a, b] = pairs[pair];
            const bool in_one = pool.number(query, a) != ByteIndex::none || pool.number(query, b) != ByteIndex::none;
            if (in_one) matching.match(lists.list(a), lists.list(b), lists.grades(), lists.judged());
            if (in_one && options.lengths != nullptr) matching.look_up(lists.lengths());
            for (std::size_t m = 0; m < measures.size(); ++m) {
                double& value = values[(m * pairs.size() + pair) * queries + query];
                value = std::numeric_limits<double>::quiet_NaN();
                if (!in_one) continue;
                const Difference difference = measures[m]->difference(matching, options.unseen);
                value = difference.med;
                double& gap = gaps[m * queries + query];
                if (difference.gap > gap) gap = difference.gap;
            }
        }
        mark.store(1, std::memory_order_release);
    });
}

}  // namespace medir
