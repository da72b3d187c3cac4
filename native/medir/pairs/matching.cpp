#include "pairs/matching.hpp"

#include <algorithm>
#include <cmath>

namespace medir {

void Matching::match(const ListOfRun& before, const ListOfRun& after, const Lists* qrels, std::size_t qrels_query,
                     const Reading& reading, bool numbers) {
    const auto read = [numbers](const Lists* lists, std::size_t query, std::vector<Entry>& entries) {
        entries.clear();
        if (lists == nullptr) return;
        lists->read(query, entries);
        if (numbers) hash_as_numbers(entries);
    };
    read(before.lists, before.query, before_entries_);
    read(after.lists, after.query, after_entries_);
    read(qrels, qrels_query, judgments_);
    documents_.clear();
    numbering_.reset(before_entries_.size() + after_entries_.size() + judgments_.size());
    repeats_ = 0;
    const Added first = add_list(before, before_entries_, &Document::before, reading, before_ties_);
    const Added second = add_list(after, after_entries_, &Document::after, reading, after_ties_);
    before_size_ = first.size;
    before_cut_ = first.cut;
    after_size_ = second.size;
    after_cut_ = second.cut;
    intents_.clear();
    grades_.clear();
    if (qrels != nullptr) add_judgments(*qrels, qrels_query, reading.intents);
    judged_ = !judgments_.empty();
}

void Matching::match(const NumberedList& before, const NumberedList& after, const std::vector<std::int32_t>& grades,
                     bool judged) {
    numbering_.reset(0);
    intents_.clear();
    grades_.clear();
    before_size_ = before.documents.size();
    after_size_ = after.documents.size();
    before_cut_ = before.cut;
    after_cut_ = after.cut;
    documents_.resize(before_size_ + after_size_ + (judged ? grades.size() : 0));
    numbers_.resize(documents_.size());
    if (places_.size() < grades.size()) places_.resize(grades.size());
    std::uint32_t size = 0;
    // What a place says holds only where the document there says the same, so that places need not be cleared.
    const auto add = [&](std::uint32_t number) {
        numbers_[size] = number;
        places_[number] = size;
        documents_[size] = {0, 0, grades[number]};
        return size++;
    };
    const auto place_of = [&](std::uint32_t number) {
        const std::uint32_t place = places_[number];
        return place < size && numbers_[place] == number ? place : add(number);
    };
    std::uint32_t rank = 0;
    for (const std::uint32_t number : before.documents) documents_[add(number)].before = ++rank;
    rank = 0;
    for (const std::uint32_t number : after.documents) documents_[place_of(number)].after = ++rank;
    if (judged)
        for (std::uint32_t number = 0; number < grades.size(); ++number)
            if (grades[number] != Document::unjudged) place_of(number);
    documents_.resize(size);
    before_ties_ = before.ties;
    after_ties_ = after.ties;
    repeats_ = 0;
    judged_ = judged;
}

Matching::Added Matching::add_list(const ListOfRun& list, const std::vector<Entry>& entries,
                                   std::uint32_t Document::* rank, const Reading& reading,
                                   std::vector<std::uint32_t>& ties) {
    std::uint32_t size = 0;
    ties.clear();
    if (list.lists != nullptr)
        repeats_ += number_list(numbering_, {*list.lists, list.query, entries}, reading.repeats, reading.ties, ties,
                                [&](std::uint32_t number, std::uint32_t next) {
                                    if (number == documents_.size()) documents_.push_back({0, 0, Document::unjudged});
                                    Document& document = documents_[number];
                                    if (document.*rank != 0) return false;
                                    document.*rank = size = next;
                                    return true;
                                });
    const bool cut = reading.unseen.cut(list.run, size, reading.depth);
    if (size <= reading.depth) return {size, cut};
    for (Document& document : documents_)
        if (document.*rank > reading.depth) document.*rank = 0;
    return {reading.depth, cut};
}

void Matching::add_judgments(const Lists& qrels, std::size_t query, Intents intents) {
    for (std::size_t i = 0; i < judgments_.size(); ++i) {
        const Entry& entry = judgments_[i];
        const std::uint32_t number = numbering_.number(entry);
        if (number == documents_.size()) documents_.push_back({0, 0, Document::unjudged});
        Document& document = documents_[number];
        const auto grade = static_cast<std::int32_t>(entry.value);
        const bool by_intent = intents == Intents::kept;
        const std::string_view intent = by_intent ? qrels.intent(query, entry, i) : std::string_view{};
        std::int32_t& known = by_intent ? grade_for(intent, number) : document.grade;
        if (known != Document::unjudged && known != grade)
            throw qrels.error(
                query, entry,
                "document '" + entry.document() + "' is judged twice for query '" + std::string(qrels.query(query)) +
                    "'" + (by_intent ? " and intent '" + std::string(intent) + "'" : "") + ", with different grades",
                by_intent ? "Remove one of the judgments."
                          : "Remove one of the judgments; if the second column is an intent, choose a "
                            "measure of intents, such as ERR_IA.");
        known = grade;
        document.grade = std::max(document.grade, grade);
    }
}

std::int32_t& Matching::grade_for(std::string_view intent, std::uint32_t document) {
    // A query has few intents, and the judgments of one mostly stand together.
    auto found = std::find(intents_.rbegin(), intents_.rend(), intent);
    std::size_t number = intents_.size();
    if (found == intents_.rend()) {
        intents_.push_back(intent);
        grades_.emplace_back();
    } else {
        number = static_cast<std::size_t>(intents_.rend() - found) - 1;
    }
    auto& grades = grades_[number];
    if (grades.size() <= document) grades.resize(document + 1, Document::unjudged);
    return grades[document];
}

Matching Matching::of_intent(std::size_t intent) const {
    Matching matching;
    matching.documents_ = documents_;
    matching.before_size_ = before_size_;
    matching.after_size_ = after_size_;
    matching.before_cut_ = before_cut_;
    matching.after_cut_ = after_cut_;
    matching.judged_ = intent < grades_.size();
    for (std::size_t i = 0; i < documents_.size(); ++i) {
        const bool known = matching.judged_ && i < grades_[intent].size();
        matching.documents_[i].grade = known ? grades_[intent][i] : Document::unjudged;
    }
    return matching;
}

bool Matching::has_relevant() const {
    return judged_ && std::any_of(documents_.begin(), documents_.end(),
                                  [](const Document& document) { return document.grade > 0; });
}

Changes Matching::changes(std::size_t reach) const {
    Changes changes;
    // In unsigned numbers, the rank 0 of an absent document less 1 is the deepest of all.
    const auto last = static_cast<std::uint32_t>(std::min<std::size_t>(reach, 0xffffffff));
    for (const Document& document : documents_) {
        const bool before = document.before - 1 < last, after = document.after - 1 < last;
        changes.entered += !before && after;
        changes.left += before && !after;
        changes.moved += before && after && document.before != document.after;
    }
    return changes;
}

void Matching::look_up(const Lengths& lengths) {
    lengths_.resize(documents_.size());
    without_length_ = 0;
    for (std::size_t i = 0; i < documents_.size(); ++i) {
        lengths_[i] = lengths.find(numbering_[i]);
        if (!std::isnan(lengths_[i]) || (documents_[i].before == 0 && documents_[i].after == 0)) continue;
        if (std::isnan(lengths.fallback())) throw lengths.missing(id(i));
        lengths_[i] = lengths.fallback();
        ++without_length_;
    }
}

void Matching::look_up(const std::vector<double>& by_number) {
    lengths_.resize(documents_.size());
    for (std::size_t i = 0; i < documents_.size(); ++i) lengths_[i] = by_number[numbers_[i]];
}

}  // namespace medir
