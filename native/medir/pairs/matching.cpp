#include "pairs/matching.hpp"

#include <algorithm>
#include <cmath>

namespace medir {

void Matching::match(const Lists* before, std::size_t before_query, const Lists* after, std::size_t after_query,
                     const Lists* qrels, std::size_t qrels_query, std::size_t depth, Repeats repeats, Intents intents,
                     Ties ties) {
    const auto read = [](const Lists* lists, std::size_t query, std::vector<Entry>& entries) {
        if (lists == nullptr)
            entries.clear();
        else
            lists->read(query, entries);
    };
    read(before, before_query, before_entries_);
    read(after, after_query, after_entries_);
    read(qrels, qrels_query, judgments_);
    documents_.clear();
    numbering_.reset(before_entries_.size() + after_entries_.size() + judgments_.size());
    repeats_ = 0;
    before_size_ = after_size_ = 0;
    before_ties_.clear();
    after_ties_.clear();
    if (before != nullptr)
        before_size_ =
            add_list({*before, before_query, before_entries_}, &Document::before, depth, repeats, ties, before_ties_);
    if (after != nullptr)
        after_size_ =
            add_list({*after, after_query, after_entries_}, &Document::after, depth, repeats, ties, after_ties_);
    intents_.clear();
    grades_.clear();
    if (qrels != nullptr) add_judgments(*qrels, qrels_query, intents);
    judged_ = !judgments_.empty();
}

void Matching::match(const NumberedList& before, const NumberedList& after, const std::vector<std::int32_t>& grades,
                     bool judged) {
    numbering_.reset(0);
    intents_.clear();
    grades_.clear();
    before_size_ = before.documents.size();
    after_size_ = after.documents.size();
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

std::size_t Matching::add_list(const QueryList& list, std::uint32_t Document::* rank, std::size_t depth,
                               Repeats repeats, Ties keep, std::vector<std::uint32_t>& ties) {
    std::uint32_t size = 0;
    repeats_ += number_list(numbering_, list, repeats, keep, ties, [&](std::uint32_t number, std::uint32_t next) {
        if (number == documents_.size()) documents_.push_back({0, 0, Document::unjudged});
        Document& document = documents_[number];
        if (document.*rank != 0) return false;
        document.*rank = size = next;
        return true;
    });
    if (size <= depth) return size;
    for (Document& document : documents_)
        if (document.*rank > depth) document.*rank = 0;
    return depth;
}

void Matching::add_judgments(const Lists& qrels, std::size_t query, Intents intents) {
    for (const Entry& entry : judgments_) {
        const std::uint32_t number = numbering_.number(entry);
        if (number == documents_.size()) documents_.push_back({0, 0, Document::unjudged});
        Document& document = documents_[number];
        const auto grade = static_cast<std::int32_t>(entry.value);
        const bool by_intent = intents == Intents::kept;
        const std::string_view intent = by_intent ? qrels.intent(query, entry) : std::string_view{};
        std::int32_t& known = by_intent ? grade_for(intent, number) : document.grade;
        if (known != Document::unjudged && known != grade)
            throw qrels.error(query, entry,
                              "document '" + std::string(entry.document()) + "' is judged twice for query '" +
                                  std::string(qrels.query(query)) + "'" +
                                  (by_intent ? " and intent '" + std::string(intent) + "'" : "") +
                                  ", with different grades",
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

Changes Matching::changes() const {
    Changes changes;
    for (const Document& document : documents_) {
        changes.entered += document.before == 0 && document.after != 0;
        changes.left += document.before != 0 && document.after == 0;
        changes.moved += document.before != 0 && document.after != 0 && document.before != document.after;
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
