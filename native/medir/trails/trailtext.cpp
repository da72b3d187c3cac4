#include "trails/trailtext.hpp"

#include <algorithm>

namespace medir {

void Trailtexts::lay_out(const BySide<Source>& runs, Source gold, const Scope& scope, bool timed) {
    stretches_.clear();
    pieces_.clear();
    closed_ = scope.closed;
    timed_ = timed;
    empty_ = 0;
    gold_size_ = gold_repeated_ = 0;
    sizes_ = distinct_ = gold_shown_ = {};
    for (const std::size_t side : {before_run, after_run}) {
        read(runs[side], passages_[side]);
        cut_[side] = scope.unseen.cut(side, passages_[side].size(), scope.depth);
        shorten(passages_[side], scope);
        starts_[side].clear();
        for (const Passage& passage : passages_[side]) {
            starts_[side].push_back(sizes_[side]);
            sizes_[side] += passage.length;
            empty_ += passage.length == 0;
        }
    }
    read(gold, gold_);
    numbering_.reset(passages_[before_run].size() + passages_[after_run].size() + gold_.size());
    collect(passages_[before_run], before_run);
    collect(passages_[after_run], after_run);
    collect(gold_, gold_source);
    std::sort(pieces_.begin(), pieces_.end(), [](const Piece& a, const Piece& b) {
        return a.document != b.document ? a.document < b.document : a.start < b.start;
    });
    const Piece* const end = pieces_.data() + pieces_.size();
    for (const Piece* first = pieces_.data(); first < end;) {
        const Piece* last = first;
        while (last < end && last->document == first->document) ++last;
        sweep(first, last);
        first = last;
    }
}

void Trailtexts::read(const Source& source, std::vector<Passage>& passages) {
    passages.clear();
    if (source.passages != nullptr) source.passages->read_passages(source.query, passages, scratch_);
}

// Leaves out passages that are too deep for any measure.
void Trailtexts::shorten(std::vector<Passage>& passages, const Scope& scope) const {
    if (passages.size() > scope.depth) passages.resize(scope.depth);
    double size = 0;
    std::size_t count = 0;
    while (count < passages.size() && size < scope.reach) size += static_cast<double>(passages[count++].length);
    passages.resize(count);
}

void Trailtexts::collect(const std::vector<Passage>& passages, std::uint32_t source) {
    for (std::size_t i = 0; i < passages.size(); ++i) {
        const Passage& passage = passages[i];
        pieces_.push_back(
            {passage.start, passage.end(), numbering_.number(passage), static_cast<std::int32_t>(i), source});
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

void Trailtexts::add(Stretch stretch) {
    const bool relevant = stretch.judged == Judged::relevant;
    if (relevant) gold_size_ += stretch.length;
    for (const std::size_t side : {before_run, after_run}) {
        if (!stretch.is_shown(side)) continue;
        const auto number = static_cast<std::size_t>(stretch.shown[side]);
        stretch.places[side] = starts_[side][number] + stretch.start - passages_[side][number].start;
        distinct_[side] += stretch.length;
        if (relevant) gold_shown_[side] += stretch.length;
    }
    if (stretch.is_shown(before_run) || stretch.is_shown(after_run)) stretches_.push_back(stretch);
}

}  // namespace medir
