// The documents of one query: where each stands in both lists, and how it was judged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lists/lengths.hpp"
#include "lists/lists.hpp"
#include "pairs/difference.hpp"
#include "pairs/numbering.hpp"

namespace medir {

struct Document {
    std::uint32_t before, after;  // ranks from 1; 0 where the document is not in the list
    std::int32_t grade;           // unjudged where there is no judgment

    static constexpr std::int32_t unjudged = -1;
};

// A list whose documents have numbers.
struct NumberedList {
    std::vector<std::uint32_t> documents;
    std::vector<std::uint32_t> ties;  // by rank: the first rank of the tie; none unless they are kept
};

// One matching serves many queries, one after the other, and keeps its memory.
class Matching {
public:
    // Lists are cut at `depth`. A null pointer stands for an empty list, or for no judgments.
    void match(const Lists* before, std::size_t before_query, const Lists* after, std::size_t after_query,
               const Lists* qrels, std::size_t qrels_query, std::size_t depth, Repeats repeats, Intents intents,
               Ties ties = Ties::ignored);

    // Lists whose documents have numbers already, and the grades of these; without ids and intents.
    void match(const NumberedList& before, const NumberedList& after, const std::vector<std::int32_t>& grades,
               bool judged);

    // The documents of `before` in rank order, then those of `after` alone in rank order, then those only judged.
    const std::vector<Document>& documents() const { return documents_; }
    std::size_t before_size() const { return before_size_; }
    std::size_t after_size() const { return after_size_; }
    // By rank: the first rank of the tie there; empty unless ties are kept.
    const std::vector<std::uint32_t>& before_ties() const { return before_ties_; }
    const std::vector<std::uint32_t>& after_ties() const { return after_ties_; }
    bool judged() const { return judged_; }
    bool has_relevant() const;
    // Where a document was met first.
    const Entry& entry(std::size_t document) const { return numbering_[document]; }
    std::string_view id(std::size_t document) const { return entry(document).document(); }
    // As if an unjudged document had this grade; Document::unjudged takes it back.
    void judge(std::size_t document, std::int32_t grade) {
        documents_[document].grade = grade;
        judged_ = grade != Document::unjudged || !judgments_.empty();
    }

    // The intents that are judged, in order of appearance; none unless they are kept. With them, the grade of a
    // document is its highest for any intent.
    const std::vector<std::string_view>& intents() const { return intents_; }
    std::int32_t grade(std::size_t intent, std::size_t document) const {
        const auto& grades = grades_[intent];
        return document < grades.size() ? grades[document] : Document::unjudged;
    }
    // The same documents with the grades that they have for one intent; for none of them, without judgments.
    Matching of_intent(std::size_t intent) const;
    std::size_t repeats() const { return repeats_; }  // results dropped under Repeats::first

    Changes changes() const;

    // Looks up the words of all documents; those in a list must have a length. For numbered documents, by number.
    void look_up(const Lengths& lengths);
    void look_up(const std::vector<double>& by_number);
    // By document, once they are looked up; unknown for some that are only judged.
    const std::vector<double>& lengths() const { return lengths_; }
    std::size_t without_length() const { return without_length_; }  // those in a list that took the fallback

private:
    std::size_t add_list(const QueryList& list, std::uint32_t Document::* rank, std::size_t depth, Repeats repeats,
                         Ties keep, std::vector<std::uint32_t>& ties);
    void add_judgments(const Lists& qrels, std::size_t query, Intents intents);
    std::int32_t& grade_for(std::string_view intent, std::uint32_t document);

    std::vector<Document> documents_;
    Numbering<Entry> numbering_;
    std::vector<Entry> before_entries_, after_entries_, judgments_;
    std::vector<std::uint32_t> before_ties_, after_ties_;
    std::vector<std::uint32_t> numbers_, places_;  // of numbered documents: their numbers, and back
    std::vector<std::string_view> intents_;
    std::vector<std::vector<std::int32_t>> grades_;  // by intent and document
    std::vector<double> lengths_;
    std::size_t before_size_ = 0, after_size_ = 0, repeats_ = 0, without_length_ = 0;
    bool judged_ = false;
};

}  // namespace medir
