#include "drivers/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "drivers/comparing.hpp"

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
        if (pool.has_numbers() || (qrels != nullptr && qrels->has_numbers()))
            for (auto& entries : entries_) hash_as_numbers(entries);
        numbering_.reset(count + judgments.size());
        marks_.clear();
        for (std::size_t r = 0; r < pool.runs(); ++r) add_list(pool, query, r, options);
        grades_.assign(numbering_.size(), Document::unjudged);
        by_intent_.clear();
        for (std::size_t i = 0; i < judgments.size(); ++i) {
            const auto grade = static_cast<std::int32_t>(judgments[i].value);
            const std::uint32_t document = numbering_.number(judgments[i]);
            grades_.resize(numbering_.size(), Document::unjudged);
            grades_[document] = std::max(grades_[document], grade);
            if (options.reading.intents == Intents::kept)
                by_intent_.grade_for(qrels->intent(judged, judgments[i], i), document) = grade;
        }
        if (options.lengths != nullptr) look_up(*options.lengths);
        merged_ = options.reading.clusters != nullptr && merging_.merge(numbering_, *options.reading.clusters);
        if (merged_) merge(options.lengths != nullptr);
    }
    const NumberedList& list(std::size_t run) const { return lists_[run]; }
    const std::vector<std::int32_t>& grades() const { return grades_; }
    const IntentGrades& by_intent() const { return by_intent_; }
    const std::vector<double>& lengths() const { return lengths_; }
    bool judged() const { return !entries_.back().empty(); }
    const Merging* merging() const { return merged_ ? &merging_ : nullptr; }

private:
    void add_list(const Pool& pool, std::size_t query, std::size_t r, const Options& options) {
        std::vector<std::uint32_t>& list = lists_[r].documents;
        list.clear();
        const QueryList entries{pool.run(r), pool.number(query, r), entries_[r]};
        const auto place = [&](std::uint32_t document, std::uint32_t) {
            if (document == marks_.size()) marks_.push_back(no_list);
            if (marks_[document] == r) return false;
            marks_[document] = r;
            list.push_back(document);
            return true;
        };
        const Reading& reading = options.reading;
        number_list(numbering_, entries, reading.repeats, reading.ties, lists_[r].ties, place);
        lists_[r].cut = reading.unseen.cut(r, list.size(), reading.depth);
        if (list.size() > reading.depth) list.resize(reading.depth);
    }

    void look_up(const Lengths& lengths) {
        lengths_.resize(numbering_.size());
        for (std::size_t d = 0; d < numbering_.size(); ++d) lengths_[d] = lengths.find(numbering_[d]);
        for (const auto& list : lists_)
            for (const std::uint32_t d : list.documents) {
                if (!std::isnan(lengths_[d])) continue;
                if (std::isnan(lengths.fallback())) throw lengths.missing(numbering_[d].document());
                lengths_[d] = lengths.fallback();
            }
    }

    // Documents get the numbers of their clusters, and those that repeat another are worth nothing.
    void merge(bool timed) {
        marks_.assign(merging_.size(), no_list);
        for (std::size_t r = 0; r < lists_.size(); ++r)
            for (std::uint32_t& document : lists_[r].documents) {
                const std::uint32_t number = merging_.number(document);
                if (marks_[number] != r) document = number;
                marks_[number] = r;
            }
        grades_.resize(merging_.size(), Document::unjudged);
        if (timed) lengths_.resize(merging_.size(), Lengths::unknown);
        for (std::uint32_t d = 0; d < numbering_.size(); ++d) {
            const std::uint32_t number = merging_.number(d);
            if (number == d) continue;
            grades_[number] = std::max(grades_[number], grades_[d]);
            grades_[d] = 0;
            for (std::size_t intent = 0; intent < by_intent_.intents.size(); ++intent) {
                const std::int32_t grade = by_intent_.grade(intent, d);
                if (grade == Document::unjudged) continue;
                std::int32_t& highest = by_intent_.grade_for(by_intent_.intents[intent], number);
                highest = std::max(highest, grade);
            }
            if (timed && !std::isnan(lengths_[d])) lengths_[number] = lengths_[d];
        }
    }

    std::vector<std::vector<Entry>> entries_;  // by run, then the judgments
    std::vector<NumberedList> lists_;
    std::vector<std::int32_t> grades_;
    IntentGrades by_intent_;
    std::vector<double> lengths_;
    Numbering<Entry> numbering_;
    Merging merging_;
    bool merged_ = false;
    static constexpr std::size_t no_list = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> marks_;  // by document: the list where it was met last
};

}  // namespace

void compare_pairs(const Pool& pool, const std::vector<std::pair<std::size_t, std::size_t>>& pairs, const Lists* qrels,
                   const std::vector<std::shared_ptr<const Measure>>& measures, const Options& options, double* values,
                   PairNotes notes, std::uint8_t* finished, Progress& progress) {
    const std::size_t queries = pool.size();
    const auto workers = static_cast<std::size_t>(options.threads);
    struct alignas(cache_line) Worker {
        Numbered lists;
        Matching matching;
        std::vector<std::unique_ptr<Workspace>> workspaces;
    };
    std::vector<Worker> all(workers);
    for (Worker& worker : all)
        for (const auto& measure : measures) worker.workspaces.push_back(measure->workspace());
    for_each_unfinished(queries, options.threads, finished, progress, [&](std::size_t query, int thread) {
        auto& [lists, matching, workspaces] = all[static_cast<std::size_t>(thread)];
        lists.number(pool, query, qrels, options);
        for (std::size_t m = 0; m < measures.size(); ++m) notes.clear(m, query);  // of work that was interrupted
        for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
            const auto [a, b] = pairs[pair];
            const bool in_one = pool.number(query, a) != ByteIndex::none || pool.number(query, b) != ByteIndex::none;
            if (in_one) matching.match(lists.list(a), lists.list(b), lists.grades(), lists.judged(), lists.merging());
            if (in_one) matching.judge_intents(lists.by_intent());
            if (in_one && options.lengths != nullptr) matching.look_up(lists.lengths());
            for (std::size_t m = 0; m < measures.size(); ++m) {
                double& value = values[(m * pairs.size() + pair) * queries + query];
                value = std::numeric_limits<double>::quiet_NaN();
                if (!in_one) continue;
                if (a == b && measures[m]->looks_below()) {  // a run does not differ from itself, whatever is unseen
                    value = 0;
                    continue;
                }
                const bool unseen = measures[m]->looks_below() && matching.has_unseen(options.reaches[m]);
                const bool again = unseen && (measures[m]->at_once() || options.reaches[m] < no_limit);
                const Difference found = again ? difference(*measures[m], matching, options.reaches[m], *workspaces[m])
                                               : measures[m]->difference(matching, *workspaces[m]);
                value = found.med;
                notes.add(m, query, found, again ? found.unseen != 0 : unseen,
                          measures[m]->looks_below() && matching.has_ended(options.reaches[m]));
            }
        }
        check_sources(pool, qrels, options);  // what is marked as finished may be kept in a file
    });
}

}  // namespace medir
