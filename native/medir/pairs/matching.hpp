// The documents of one query: where each stands in both lists, and how it was judged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "lists/clusters.hpp"
#include "lists/lengths.hpp"
#include "lists/lists.hpp"
#include "pairs/difference.hpp"
#include "pairs/merging.hpp"
#include "pairs/numbering.hpp"
#include "pairs/unseen.hpp"

namespace medir {

// A document, or a cluster of documents with the same content: it stands where the first of them stands. Those below it
// in the same list are documents that are known to be worth nothing.
struct Document {
    std::uint32_t before, after;  // ranks from 1; 0 where the document is not in the list
    std::int32_t grade;           // unjudged where there is no judgment

    static constexpr std::int32_t unjudged = -1;
};

// A list whose documents have numbers.
struct NumberedList {
    std::vector<std::uint32_t> documents;
    std::vector<std::uint32_t> ties;  // by rank: the first rank of the tie; none unless they are kept
    bool cut = false;                 // unseen ranks follow
};

// The intents of a query that are judged, in order of appearance, and how documents were judged for each.
struct IntentGrades {
    std::vector<std::string_view> intents;
    std::vector<std::vector<std::int32_t>> grades;  // by intent and document; the last ones may be missing

    void clear() {
        intents.clear();
        grades.clear();
    }
    // The grade of a document for an intent, to be set; unjudged where it is new.
    std::int32_t& grade_for(std::string_view intent, std::uint32_t document);
    std::int32_t grade(std::size_t intent, std::size_t document) const {
        const bool known = intent < grades.size() && document < grades[intent].size();
        return known ? grades[intent][document] : Document::unjudged;
    }
};

// How lists are read. They are shown down to `depth`.
struct Reading {
    std::size_t depth;
    Repeats repeats;
    Intents intents;
    Ties ties;
    Unseen unseen;
    std::shared_ptr<const Clusters> clusters = nullptr;  // of documents with the same content, where they are known

    // What stands for a document in all lists: that of its cluster.
    const Entry& key(const Entry& document) const { return clusters == nullptr ? document : clusters->key(document); }
};

// One query of a run; a null pointer stands for an empty list.
struct ListOfRun {
    const Lists* lists;
    std::size_t query;
    std::size_t run;  // its number among those that are compared
};

// One matching serves many queries, one after the other, and keeps its memory.
class Matching {
public:
    // A null pointer stands for no judgments. `numbers`: whether ids are numbers in any of the runs or in the
    // judgments.
    void match(const ListOfRun& before, const ListOfRun& after, const Lists* qrels, std::size_t qrels_query,
               const Reading& reading, bool numbers);

    // Two lists that were compared before: without ids, intents, ties and judgments.
    void match(const ComparedLists& lists, const Reading& reading);

    // Lists whose documents have numbers already, and the grades of these; without ids and intents. `judged`: whether
    // any document of the query is.
    void match(const NumberedList& before, const NumberedList& after, const std::vector<std::int32_t>& grades,
               bool judged, const Merging* merging = nullptr);

    // The documents of `before` in rank order, then those of `after` alone in rank order, then those only judged.
    const std::vector<Document>& documents() const { return documents_; }
    std::size_t before_size() const { return before_size_; }
    std::size_t after_size() const { return after_size_; }
    // Whether unseen ranks follow a list.
    bool before_cut() const { return before_cut_; }
    bool after_cut() const { return after_cut_; }
    bool has_unseen(std::size_t reach) const {
        return (before_cut_ && before_size_ < reach) || (after_cut_ && after_size_ < reach);
    }
    // Whether a list with results ended above some rank that is looked at.
    bool has_ended(std::size_t reach) const {
        const auto ended = [reach](bool cut, std::size_t size) { return !cut && size > 0 && size < reach; };
        return ended(before_cut_, before_size_) || ended(after_cut_, after_size_);
    }
    // Calls work() as if both lists had ended.
    template <class Work>
    auto as_if_ended(Work work) {
        const auto [before, after] = std::pair(before_cut_, after_cut_);
        before_cut_ = after_cut_ = false;
        const auto result = work();
        before_cut_ = before;
        after_cut_ = after;
        return result;
    }
    // By rank: the first rank of the tie there; empty unless ties are kept.
    const std::vector<std::uint32_t>& before_ties() const { return before_ties_; }
    const std::vector<std::uint32_t>& after_ties() const { return after_ties_; }
    // Whether the relevance of any document is known.
    bool judged() const { return judged_; }
    bool has_relevant() const;
    // Where a document was met first: in `before` if it stands there.
    const Entry& entry(std::size_t document) const {
        return numbering_[shown_.empty() ? document : shown_[document].first];
    }
    // Where it was met in `after`, if it stands there: of a cluster, that may be another document.
    const Entry& entry_after(std::size_t document) const {
        return numbering_[shown_.empty() ? document : shown_[document].in_after];
    }
    std::string id(std::size_t document) const { return entry(document).document(); }

    // Whether any document is a cluster of several.
    bool has_clusters() const { return !shown_.empty(); }
    // Whether any document repeats one of the same cluster that stands above it.
    bool has_repeats() const { return !repeated_.empty(); }
    bool is_repeat(std::size_t document) const { return has_repeats() && repeated_[document] != ByteIndex::none; }
    // The document that a repeat repeats.
    std::uint32_t repeated(std::size_t document) const { return repeated_[document]; }
    // Clusters whose documents were judged differently: the highest grade counts.
    std::size_t disagreements() const { return disagreements_; }
    // The same lists without repeats, which leave no gaps. Without ids, intents and lengths.
    Matching without_repeats() const;
    // As if an unjudged document had this grade; Document::unjudged takes it back.
    void judge(std::size_t document, std::int32_t grade) {
        documents_[document].grade = grade;
        judged_ = grade != Document::unjudged || !judgments_.empty() || has_repeats();
    }

    // The intents that are judged, in order of appearance; none unless they are kept. With them, the grade of a
    // document is its highest for any intent.
    const std::vector<std::string_view>& intents() const { return by_intent_.intents; }
    // Of an intent that is not judged, only repeats have a grade.
    std::int32_t grade(std::size_t intent, std::size_t document) const {
        return is_repeat(document) ? 0 : by_intent_.grade(intent, document);
    }
    // The same for numbered documents, whose grades are by number.
    void judge_intents(const IntentGrades& by_number);
    // The same documents with the grades that they have for one intent; for none of them, without judgments.
    Matching of_intent(std::size_t intent) const;
    std::size_t dropped() const { return dropped_; }  // results dropped under Repeats::first

    // Within the first `reach` ranks.
    Changes changes(std::size_t reach) const;

    // Looks up the words of all documents; those in a list must have a length. For numbered documents, by number.
    void look_up(const Lengths& lengths);
    void look_up(const std::vector<double>& by_number);
    // By document, once they are looked up; unknown for some that are only judged.
    const std::vector<double>& lengths() const { return lengths_; }
    std::size_t without_length() const { return without_length_; }  // those in a list that took the fallback

private:
    // Two lists that are shown whole, of which it is known where their documents stand; the numbers of their runs.
    void place(const ComparedLists& lists, const Reading& reading, std::size_t before_run, std::size_t after_run);
    // Empties what is known of a query but its lists and documents.
    void forget();
    struct Added {
        std::size_t size = 0;  // ranks that are shown
        bool cut = false;
    };
    // The documents of both lists, all compared at once. False, and nothing is added, where that cannot be.
    bool add_both(const ListOfRun& before, const ListOfRun& after, const Reading& reading);
    Added add_list(const ListOfRun& list, const std::vector<Entry>& entries, std::uint32_t Document::* rank,
                   const Reading& reading, std::vector<std::uint32_t>& ties);
    void add_judgments(const Lists& qrels, std::size_t query, Intents intents);
    void merge(const Clusters& clusters);

    // The numbers of the documents that are shown for a document.
    struct Shown {
        std::uint32_t first, in_after;
    };

    std::vector<Document> documents_;
    Numbering<Entry> numbering_;
    std::vector<Entry> before_entries_, after_entries_, judgments_;
    std::vector<std::uint32_t> before_ties_, after_ties_;
    std::vector<std::uint32_t> numbers_, places_;  // of numbered documents: their numbers, and back
    IntentGrades by_intent_;
    std::vector<double> lengths_;
    Merging merging_;
    std::vector<Shown> shown_;             // by document, where some are clusters
    std::vector<std::uint32_t> repeated_;  // by document, or none; empty where no document repeats another
    std::optional<Changes> all_changes_;   // between both lists down to their ends, where they are known
    std::size_t before_size_ = 0, after_size_ = 0, dropped_ = 0, without_length_ = 0, disagreements_ = 0;
    bool before_cut_ = false, after_cut_ = false, judged_ = false;
};

}  // namespace medir
