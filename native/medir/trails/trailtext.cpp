#include "trails/trailtext.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace medir {

void PassageSource::read(std::vector<Passage>& list, std::vector<PassageRank>& scratch) const {
    list.clear();
    if (passages != nullptr) passages->read_passages(query, list, scratch);
}

// Leaves out passages that are too deep for any measure.
void PassageSource::read(std::size_t run, const Scope& scope, Trailtext& text,
                         std::vector<PassageRank>& scratch) const {
    read(text.passages, scratch);
    text.cut = scope.unseen.cut(run, text.passages.size(), scope.depth);
    const std::size_t most = std::min(text.passages.size(), scope.depth);
    double size = 0;
    std::size_t count = 0;
    while (count < most && size < scope.reach) size += static_cast<double>(text.passages[count++].length);
    text.passages.resize(count);
}

void Trailtexts::lay_out(const BySide<PassageSource>& runs, const PassageSource& gold, const Scope& scope, bool timed) {
    for (const std::size_t side : {before_run, after_run}) runs[side].read(side, scope, texts_[side], scratch_);
    gold.read(gold_, scratch_);
    lay_out(scope.closed, timed);
}

void Trailtexts::lay_out(const BySide<const Trailtext*>& runs, const std::vector<Passage>& gold, bool closed,
                         bool timed) {
    for (const std::size_t side : {before_run, after_run}) texts_[side] = *runs[side];
    gold_ = gold;
    lay_out(closed, timed);
}

void Trailtexts::lay_out(bool closed, bool timed) {
    stretches_.clear();
    pieces_.clear();
    places_.clear();
    closed_ = closed;
    timed_ = timed;
    empty_ = 0;
    gold_size_ = gold_repeated_ = 0;
    sizes_ = distinct_ = gold_shown_ = {};
    for (const std::size_t side : {before_run, after_run}) {
        starts_[side].clear();
        for (const Passage& passage : passages(side)) {
            starts_[side].push_back(sizes_[side]);
            sizes_[side] += passage.length;
            empty_ += passage.length == 0;
        }
    }
    numbering_.reset(passages(before_run).size() + passages(after_run).size() + gold_.size());
    collect(passages(before_run), before_run);
    collect(passages(after_run), after_run);
    collect(gold_, gold_source);
    by_document_.resize(pieces_.size());
    std::uint32_t end = 0;
    for (std::uint32_t& place : places_) end += std::exchange(place, end);
    for (const Piece& piece : pieces_) by_document_[places_[piece.document]++] = piece;
    Piece* first = by_document_.data();
    for (const std::uint32_t place : places_) {  // where the pieces of the next document begin now
        Piece* const last = by_document_.data() + place;
        add_document(first, last);
        first = last;
    }
}

// Most documents have one passage, or one in each run.
void Trailtexts::add_document(Piece* first, Piece* last) {
    const bool is_gold = last[-1].source == gold_source;  // which comes last
    const bool is_one_of_each = last - first == 1 || (last - first == 2 && first[0].source != first[1].source);
    if (is_one_of_each && !is_gold) return add_overlap(*first, last[-1]);
    std::sort(first, last, [](const Piece& a, const Piece& b) { return a.start < b.start; });
    sweep(first, last);
}

// Two pieces of different runs, or one and the same: what stands in one before the other, in both or between them, and
// behind. One without text counts as if it were the other.
void Trailtexts::add_overlap(const Piece& first, const Piece& last) {
    const Piece& one = first.start < first.end ? first : last;
    const Piece& other = last.start < last.end ? last : first;
    const std::int64_t later = std::max(one.start, other.start), sooner = std::min(one.end, other.end);
    const std::array<std::int64_t, 4> cuts{std::min(one.start, other.start), std::min(later, sooner),
                                           std::max(later, sooner), std::max(one.end, other.end)};
    for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
        const std::int64_t at = cuts[c], size = cuts[c + 1] - at;
        if (size == 0) continue;
        Stretch stretch{one.document, closed_ ? Judged::not_relevant : Judged::unknown, at, size, {}, {}};
        stretch.shown = {Stretch::absent, Stretch::absent};
        for (const Piece* piece : {&one, &other})
            if (piece->start <= at && at < piece->end) stretch.shown[piece->source] = piece->passage;
        add(stretch);
    }
}

void Trailtexts::collect(const std::vector<Passage>& passages, std::uint32_t source) {
    for (std::size_t i = 0; i < passages.size(); ++i) {
        const Passage& passage = passages[i];
        const std::uint32_t document = numbering_.number(passage);
        if (document == places_.size()) places_.push_back(0);
        ++places_[document];
        pieces_.push_back({passage.start, passage.end(), document, static_cast<std::int32_t>(i), source});
    }
}

// From cut to cut through one document. What is shown twice counts where it is first shown, so of the passages that are
// open the first decides; those that have ended are dropped when they come to the top.
void Trailtexts::sweep(const Piece* first, const Piece* last) {
    cuts_.clear();
    bool judged = closed_;
    for (const Piece* piece = first; piece < last; ++piece) {
        judged |= piece->source == gold_source;
        if (piece->start == piece->end) continue;
        cuts_.push_back(piece->start);
        cuts_.push_back(piece->end);
    }
    if (!std::is_sorted(cuts_.begin(), cuts_.end())) std::sort(cuts_.begin(), cuts_.end());
    cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
    for (auto& heap : open_) heap.clear();
    const Piece* next = first;
    std::int64_t gold_end = 0;
    for (std::size_t c = 0; c + 1 < cuts_.size(); ++c) {
        const std::int64_t at = cuts_[c], end = cuts_[c + 1];
        for (; next < last && next->start <= at; ++next) {
            if (next->source != gold_source) {
                show(next->source, *next);
                continue;
            }
            gold_repeated_ += std::max<std::int64_t>(std::min(gold_end, next->end) - next->start, 0);
            gold_end = std::max(gold_end, next->end);
        }
        const bool relevant = gold_end > at;
        add({first->document,
             relevant ? Judged::relevant
             : judged ? Judged::not_relevant
                      : Judged::unknown,
             at,
             end - at,
             {first_shown(before_run, at), first_shown(after_run, at)},
             {}});
    }
}

namespace {

constexpr auto shown_later = [](const auto* a, const auto* b) { return a->passage > b->passage; };

}  // namespace

void Trailtexts::show(std::size_t side, const Piece& piece) {
    open_[side].push_back(&piece);
    std::push_heap(open_[side].begin(), open_[side].end(), shown_later);
}

std::int32_t Trailtexts::first_shown(std::size_t side, std::int64_t at) {
    auto& heap = open_[side];
    while (!heap.empty() && heap.front()->end <= at) {
        std::pop_heap(heap.begin(), heap.end(), shown_later);
        heap.pop_back();
    }
    return heap.empty() ? Stretch::absent : heap.front()->passage;
}

void Trailtexts::add(const Stretch& shown) {
    if (shown.judged == Judged::relevant) gold_size_ += shown.length;
    if (!shown.is_shown(before_run) && !shown.is_shown(after_run)) return;
    Stretch& stretch = stretches_.emplace_back(shown);
    const bool relevant = stretch.judged == Judged::relevant;
    for (const std::size_t side : {before_run, after_run}) {
        if (!stretch.is_shown(side)) continue;
        const auto number = static_cast<std::size_t>(stretch.shown[side]);
        stretch.places[side] = starts_[side][number] + stretch.start - passages(side)[number].start;
        distinct_[side] += stretch.length;
        if (relevant) gold_shown_[side] += stretch.length;
    }
}

}  // namespace medir
