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
    forget();
    documents_.clear();
    numbering_.reset(before_entries_.size() + after_entries_.size() + judgments_.size());
    if (!add_both(before, after, reading)) {
        const Added first = add_list(before, before_entries_, &Document::before, reading, before_ties_);
        const Added second = add_list(after, after_entries_, &Document::after, reading, after_ties_);
        before_size_ = first.size;
        before_cut_ = first.cut;
        after_size_ = second.size;
        after_cut_ = second.cut;
    }
    if (qrels != nullptr) add_judgments(*qrels, qrels_query, reading.intents);
    if (reading.clusters != nullptr) merge(*reading.clusters);
    judged_ = !judgments_.empty() || has_repeats();
}

void Matching::match(const NumberedList& before, const NumberedList& after, const std::vector<std::int32_t>& grades,
                     bool judged, const Merging* merging) {
    forget();
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
    for (std::uint32_t place = 0; merging != nullptr && place < size; ++place) {
        if (!merging->repeats(numbers_[place])) continue;
        repeated_.resize(size, ByteIndex::none);
        repeated_[place] = places_[merging->number(numbers_[place])];
    }
    before_ties_ = before.ties;
    after_ties_ = after.ties;
    judged_ = judged || has_repeats();
}

bool Matching::add_both(const ListOfRun& before, const ListOfRun& after, const Reading& reading) {
    const std::size_t longest = std::max(before_entries_.size(), after_entries_.size());
    if (reading.ties == Ties::kept || longest > reading.depth) return false;
    std::array<std::uint8_t, most_places> places;
    if (!numbering_.number_both(before_entries_, after_entries_, places)) return false;
    place({before_entries_.size(), after_entries_.size(), places.data()}, reading, before.run, after.run);
    return true;
}

void Matching::place(const ComparedLists& lists, const Reading& reading, std::size_t before_run,
                     std::size_t after_run) {
    const auto [before_size, after_size, places] = lists;
    before_size_ = before_size;
    after_size_ = after_size;
    documents_.resize(before_size + after_size);
    for (std::uint32_t i = 0; i < before_size; ++i) documents_[i] = {i + 1, 0, Document::unjudged};
    std::size_t size = before_size;
    std::uint32_t moved = 0;
    for (std::uint32_t i = 0; i < after_size; ++i) {
        const bool is_new = places[i] == no_place;
        moved += !is_new & (places[i] != i);
        documents_[size] = {0, 0, Document::unjudged};
        documents_[places[i] + is_new * (size - no_place)].after = i + 1;  // no branch: nobody could predict it
        size += is_new;
    }
    documents_.resize(size);
    const auto entered = static_cast<std::uint32_t>(size - before_size);
    all_changes_ = {entered, static_cast<std::uint32_t>(size - after_size), moved};
    before_cut_ = reading.unseen.cut(before_run, before_size, reading.depth);
    after_cut_ = reading.unseen.cut(after_run, after_size, reading.depth);
    before_ties_.clear();
    after_ties_.clear();
}

void Matching::match(const ComparedLists& lists, const Reading& reading) {
    forget();
    place(lists, reading, 0, 1);
    judged_ = false;
}

void Matching::forget() {
    numbering_.reset(0);
    by_intent_.clear();
    shown_.clear();
    repeated_.clear();
    disagreements_ = 0;
    dropped_ = 0;
    all_changes_.reset();
}

Matching::Added Matching::add_list(const ListOfRun& list, const std::vector<Entry>& entries,
                                   std::uint32_t Document::* rank, const Reading& reading,
                                   std::vector<std::uint32_t>& ties) {
    std::uint32_t size = 0;
    const std::size_t known = documents_.size();
    ties.clear();
    if (list.lists != nullptr)
        dropped_ += number_list(numbering_, {*list.lists, list.query, entries}, reading.repeats, reading.ties, ties,
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
    // The order of documents is that of what is shown, so that sums round as if nothing stood below.
    while (documents_.size() > known && documents_.back().*rank == 0) documents_.pop_back();
    numbering_.shrink(documents_.size());
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
        std::int32_t& known = by_intent ? by_intent_.grade_for(intent, number) : document.grade;
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

std::int32_t& IntentGrades::grade_for(std::string_view intent, std::uint32_t document) {
    // A query has few intents, and the judgments of one mostly stand together.
    auto found = std::find(intents.rbegin(), intents.rend(), intent);
    std::size_t number = intents.size();
    if (found == intents.rend()) {
        intents.push_back(intent);
        grades.emplace_back();
    } else {
        number = static_cast<std::size_t>(intents.rend() - found) - 1;
    }
    auto& of_intent = grades[number];
    if (of_intent.size() <= document) of_intent.resize(document + 1, Document::unjudged);
    return of_intent[document];
}

void Matching::judge_intents(const IntentGrades& by_number) {
    by_intent_.intents = by_number.intents;
    by_intent_.grades.resize(by_number.grades.size());
    for (std::size_t intent = 0; intent < by_number.grades.size(); ++intent) {
        by_intent_.grades[intent].resize(documents_.size());
        for (std::size_t d = 0; d < documents_.size(); ++d)
            by_intent_.grades[intent][d] = by_number.grade(intent, numbers_[d]);
    }
}

namespace {

// The documents of a query when those of each cluster are one, where the first of them stands in each list; the others
// are repeats.
class Merger {
public:
    Merger(const Merging& merging, const std::vector<Document>& unmerged)
        : merging_(merging), unmerged_(unmerged), places_(merging.size(), ByteIndex::none) {}

    void add_list(std::uint32_t Document::* rank, std::size_t size) {
        std::vector<std::uint32_t> list(size);
        for (std::uint32_t d = 0; d < unmerged_.size(); ++d)
            if (unmerged_[d].*rank != 0) list[unmerged_[d].*rank - 1] = d;
        for (std::uint32_t i = 0; i < size; ++i) {
            std::uint32_t place = place_of(merging_.number(list[i]), list[i]);
            if (documents[place].*rank != 0) {
                const std::uint32_t cluster = place;
                place = place_of(list[i], list[i]);
                repeated[place] = cluster;
            }
            documents[place].*rank = i + 1;
            if (rank == &Document::after) in_after[place] = list[i];
        }
    }
    void add_others() {
        for (std::uint32_t d = 0; d < unmerged_.size(); ++d) place_of(merging_.number(d), d);
    }
    // The highest grade of each cluster. Marks clusters whose documents have different ones.
    std::vector<std::int32_t> merged(const std::vector<std::int32_t>& grades, std::vector<char>& disagree) const {
        std::vector<std::int32_t> highest(documents.size(), Document::unjudged);
        disagree.resize(documents.size(), 0);
        for (std::uint32_t d = 0; d < grades.size(); ++d) {
            if (grades[d] == Document::unjudged) continue;
            const std::uint32_t place = places_[merging_.number(d)];
            if (highest[place] != Document::unjudged && highest[place] != grades[d]) disagree[place] = 1;
            highest[place] = std::max(highest[place], grades[d]);
        }
        return highest;
    }

    std::vector<Document> documents;
    std::vector<std::uint32_t> first, in_after, repeated;  // by document

private:
    std::uint32_t place_of(std::uint32_t number, std::uint32_t document) {
        if (places_[number] != ByteIndex::none) return places_[number];
        documents.push_back({0, 0, Document::unjudged});
        first.push_back(document);
        in_after.push_back(document);
        repeated.push_back(ByteIndex::none);
        return places_[number] = static_cast<std::uint32_t>(documents.size() - 1);
    }

    const Merging& merging_;
    const std::vector<Document>& unmerged_;
    std::vector<std::uint32_t> places_;  // by number
};

}  // namespace

void Matching::merge(const Clusters& clusters) {
    if (!merging_.merge(numbering_, clusters)) return;
    Merger merger(merging_, documents_);
    merger.add_list(&Document::before, before_size_);
    merger.add_list(&Document::after, after_size_);
    merger.add_others();
    std::vector<char> disagree;
    for (auto& grades : by_intent_.grades) grades = merger.merged(grades, disagree);
    std::vector<std::int32_t> judged;
    for (const Document& document : documents_) judged.push_back(document.grade);
    // Documents that are relevant to different intents do not disagree.
    std::vector<char> of_any;
    judged = merger.merged(judged, by_intent_.intents.empty() ? disagree : of_any);
    disagreements_ = static_cast<std::size_t>(std::count(disagree.begin(), disagree.end(), 1));
    for (std::size_t d = 0; d < judged.size(); ++d) {
        const bool repeats = merger.repeated[d] != ByteIndex::none;
        merger.documents[d].grade = repeats ? 0 : judged[d];
        shown_.push_back({merger.first[d], merger.in_after[d]});
    }
    const auto is_none = [](std::uint32_t document) { return document == ByteIndex::none; };
    if (!std::all_of(merger.repeated.begin(), merger.repeated.end(), is_none)) repeated_ = std::move(merger.repeated);
    documents_ = std::move(merger.documents);
    all_changes_.reset();
}

Matching Matching::without_repeats() const {
    Matching matching;
    // By rank, what it is without the repeats above it; 0 for a repeat.
    const auto ranks_of = [&](std::uint32_t Document::* rank, std::size_t size) {
        std::vector<std::uint32_t> ranks(size + 1, 1);
        ranks[0] = 0;
        for (std::size_t d = 0; d < documents_.size(); ++d)
            if (is_repeat(d)) ranks[documents_[d].*rank] = 0;
        std::uint32_t next = 0;
        for (std::uint32_t& each : ranks)
            if (each != 0) each = ++next;
        return ranks;
    };
    // A tie begins at the first of its ranks that is left.
    const auto ties_of = [](const std::vector<std::uint32_t>& ties, const std::vector<std::uint32_t>& ranks) {
        std::vector<std::uint32_t> left;
        std::uint32_t above = 0;
        for (std::size_t rank = 1; rank < ranks.size() && !ties.empty(); ++rank) {
            if (ranks[rank] == 0) continue;
            left.push_back(ties[rank - 1] == above ? left.back() : ranks[rank]);
            above = ties[rank - 1];
        }
        return left;
    };
    const auto before = ranks_of(&Document::before, before_size_), after = ranks_of(&Document::after, after_size_);
    for (std::size_t d = 0; d < documents_.size(); ++d) {
        const Document& document = documents_[d];
        if (!is_repeat(d))
            matching.documents_.push_back({before[document.before], after[document.after], document.grade});
    }
    const auto count = [](const std::vector<std::uint32_t>& ranks) {
        return *std::max_element(ranks.begin(), ranks.end());
    };
    matching.before_size_ = count(before);
    matching.after_size_ = count(after);
    matching.before_cut_ = before_cut_;
    matching.after_cut_ = after_cut_;
    matching.before_ties_ = ties_of(before_ties_, before);
    matching.after_ties_ = ties_of(after_ties_, after);
    matching.judged_ = judged_;
    return matching;
}

Matching Matching::of_intent(std::size_t intent) const {
    Matching matching;
    matching.documents_ = documents_;
    matching.repeated_ = repeated_;
    matching.before_size_ = before_size_;
    matching.after_size_ = after_size_;
    matching.before_cut_ = before_cut_;
    matching.after_cut_ = after_cut_;
    matching.judged_ = intent < intents().size() || has_repeats();
    for (std::size_t i = 0; i < documents_.size(); ++i) matching.documents_[i].grade = grade(intent, i);
    return matching;
}

bool Matching::has_relevant() const {
    return judged_ && std::any_of(documents_.begin(), documents_.end(),
                                  [](const Document& document) { return document.grade > 0; });
}

Changes Matching::changes(std::size_t reach) const {
    if (all_changes_ && reach >= std::max(before_size_, after_size_)) return *all_changes_;
    Changes changes;
    // In unsigned numbers, the rank 0 of an absent document less 1 is the deepest of all.
    const auto last = static_cast<std::uint32_t>(std::min<std::size_t>(reach, 0xffffffff));
    const auto add = [last](const Document& document, Changes& sums) {
        const bool before = document.before - 1 < last, after = document.after - 1 < last, both = before & after;
        sums.entered += after ^ both;
        sums.left += before ^ both;
        sums.moved += both & (document.before != document.after);
    };
    for (const Document& document : documents_) add(document, changes);
    if (!has_repeats()) return changes;
    Changes of_repeats;
    for (std::size_t d = 0; d < documents_.size(); ++d)
        if (is_repeat(d)) add(documents_[d], of_repeats);
    return {changes.entered - of_repeats.entered, changes.left - of_repeats.left, changes.moved - of_repeats.moved};
}

void Matching::look_up(const Lengths& lengths) {
    lengths_.resize(documents_.size());
    without_length_ = 0;
    for (std::size_t i = 0; i < documents_.size(); ++i) {
        lengths_[i] = lengths.find(entry(i));
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
