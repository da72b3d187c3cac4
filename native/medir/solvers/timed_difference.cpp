#include "solvers/timed_difference.hpp"

#include <algorithm>
#include <cmath>

namespace medir {

namespace {

constexpr std::uint32_t nowhere = 0xffffffff;
constexpr double rounding = 1e-15;  // of a derivative, relative to its terms
constexpr double vanishing = -750;  // the logarithm of a number too small for a double
constexpr std::size_t work_of_document = 64;
constexpr std::size_t most_documents = std::size_t{1} << 21;  // of all nodes of a branch

}  // namespace

// By the sum of both places, or twice the only one.
void TimedDifference::order_upwards(Node& root) {
    for (auto* places : {&place_favoured_, &place_other_}) places->assign(factors.size(), nowhere);
    for (std::uint32_t i = 0; i < favoured.documents.size(); ++i) place_favoured_[favoured.documents[i]] = i;
    for (std::uint32_t i = 0; i < other.documents.size(); ++i) place_other_[other.documents[i]] = i;
    depth_.assign(factors.size(), 0);
    root.upwards.clear();
    for (std::uint32_t d = 0; d < factors.size(); ++d) {
        const std::uint32_t n = place_favoured_[d], m = place_other_[d];
        if (n == nowhere && m == nowhere) continue;
        depth_[d] = n == nowhere ? 2 * m : m == nowhere ? 2 * n : n + m;
        root.upwards.push_back(d);
    }
    std::sort(root.upwards.begin(), root.upwards.end(),
              [&](std::uint32_t a, std::uint32_t b) { return depth_[a] > depth_[b]; });
}

// Both lines hold all documents; narrow() leaves those that are undecided.
void TimedDifference::set_up(Node& root) {
    const std::size_t size = factors.size();
    fade_.resize(size);
    loss_.resize(size);
    for (std::size_t d = 0; d < size; ++d) {
        fade_[d] = factors[d].relevant > 0 ? std::log(factors[d].relevant / factors[d].other) : vanishing;
        loss_[d] = factors[d].other - factors[d].relevant;
    }
    for (auto [line, list] : {std::pair{&root.favoured, &favoured}, {&root.other, &other}}) {
        line->documents = list->documents;
        line->gain.assign(list->documents.size() + 1, 0.0);
        line->factor.assign(list->documents.size() + 1, 1.0);
        line->gain.back() = list->unseen;
    }
    order_upwards(root);
}

void TimedDifference::narrow(const Line& from, Line& to) const {
    double sum = 0, factor = 1;
    std::size_t kept = 0;
    const std::size_t size = from.documents.size();
    for (auto* by_place : {&to.gain, &to.factor}) by_place->resize(std::max(by_place->size(), size + 1));
    to.documents.resize(std::max(to.documents.size(), size));
    for (std::size_t i = 0; i <= size; ++i) {
        sum += factor * from.gain[i];
        factor *= from.factor[i];
        if (i < size && relevance[from.documents[i]] != undecided) {
            const std::uint32_t document = from.documents[i];
            if (relevance[document]) sum += factor * gain;
            factor *= relevance[document] ? factors[document].relevant : factors[document].other;
            continue;
        }
        to.gain[kept] = sum;
        to.factor[kept] = factor;
        if (i < size) to.documents[kept++] = from.documents[i];
        sum = 0;
        factor = 1;
    }
    to.documents.resize(kept);
    to.gain.resize(kept + 1);
    to.factor.resize(kept + 1);
}

void TimedDifference::narrow(const Node& from, Node& to) const {
    narrow(from.favoured, to.favoured);
    narrow(from.other, to.other);
    if (&from != &to) to.upwards = from.upwards;
    std::erase_if(to.upwards, [&](std::uint32_t document) { return relevance[document] != undecided; });
}

void TimedDifference::look_above(Line& line, std::vector<std::uint32_t>& places) const {
    const std::size_t size = line.documents.size();
    line.reach.resize(size + 1);
    line.fade.resize(size + 1);
    line.rest.resize(size + 1);
    double reach = 1, fade = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const std::uint32_t document = line.documents[i];
        reach *= line.factor[i];
        line.reach[i] = reach;
        line.fade[i] = fade;
        reach *= factors[document].other;
        fade += fade_[document];
        places[document] = static_cast<std::uint32_t>(i);
    }
    line.known = size;
}

// What stands below a place, with the decisions that are taken so far.
void TimedDifference::look_below(Line& line, std::size_t place) const {
    const std::size_t last = line.documents.size() - 1;
    if (line.known > last) line.rest[line.known = last] = {line.gain.back(), line.gain.back()};
    for (; line.known > place; --line.known) {
        const std::size_t next = line.known;
        const std::uint32_t document = line.documents[next];
        const Interval rest = line.rest[next];
        const Factors f = factors[document];
        Interval without{f.other * rest.least, f.other * rest.most};
        Interval with{gain + f.relevant * rest.least, gain + f.relevant * rest.most};
        if (relevance[document] == 0) with = without;
        if (relevance[document] == 1) without = with;
        const double sum = line.gain[next], factor = line.factor[next];
        line.rest[next - 1] = {sum + factor * std::min(without.least, with.least),
                               sum + factor * std::max(without.most, with.most)};
    }
}

void TimedDifference::look_around(Node& node) {
    for (const std::uint32_t document : node.upwards) place_favoured_[document] = place_other_[document] = nowhere;
    look_above(node.favoured, place_favoured_);
    look_above(node.other, place_other_);
    sums_.clear(node.other.documents.size());
    Looks wanted;
    for (const std::uint32_t document : node.favoured.documents) {
        wanted();
        const std::uint32_t place = place_other_[document];
        if (place == nowhere) continue;
        shared_[document] = sums_.sum(place);
        sums_.add(place + 1, fade_[document]);
    }
}

// reach (gain - loss rest), where reach is scaled by something between two powers of e.
TimedDifference::Interval TimedDifference::term(const Line& line, std::size_t place, Interval fade) const {
    const double loss = loss_[line.documents[place]], reach = line.reach[place];
    const Interval rest = line.rest[place];
    const double one = gain - loss * rest.least, two = gain - loss * rest.most;
    const double least = std::min(one, two), most = std::max(one, two);
    const double low = reach * (fade.least == 0 ? 1.0 : std::exp(fade.least));
    const double high = reach * (fade.most == 0 ? 1.0 : std::exp(fade.most));
    return {least * (least < 0 ? high : low), most * (most < 0 ? low : high)};
}

// But for a positive factor: what is undecided above in both lists scales both terms alike.
TimedDifference::Interval TimedDifference::derivative(const Node& node, std::uint32_t document) const {
    const std::uint32_t n = place_favoured_[document], m = place_other_[document];
    if (m == nowhere) return term(node.favoured, n, {0, 0});
    if (n == nowhere) {
        const Interval theirs = term(node.other, m, {0, 0});
        return {-theirs.most, -theirs.least};
    }
    const double shared = shared_[document];
    const Interval mine = term(node.favoured, n, {node.favoured.fade[n] - shared, 0});
    const Interval theirs = term(node.other, m, {node.other.fade[m] - shared, 0});
    return {mine.least - theirs.most, mine.most - theirs.least};
}

// Decides what can be decided, and guesses the others. The lines still hold what was decided, until they are narrowed.
void TimedDifference::look(Node& node) {
    look_around(node);
    Looks wanted;
    for (const std::uint32_t document : node.upwards) {
        wanted();
        double scale = 0;
        if (place_favoured_[document] != nowhere) {
            look_below(node.favoured, place_favoured_[document]);
            scale += node.favoured.reach[place_favoured_[document]];
        }
        if (place_other_[document] != nowhere) {
            look_below(node.other, place_other_[document]);
            scale += node.other.reach[place_other_[document]];
        }
        const Interval slope = derivative(node, document);
        const double negligible = rounding * gain * scale;
        guess_[document] = slope.least + slope.most > 0;
        if (slope.least >= -negligible)
            relevance[document] = guess_[document] = 1;
        else if (slope.most <= negligible)
            relevance[document] = guess_[document] = 0;
    }
}

// Once at least.
void TimedDifference::persist(Node& node, Budget& budget) {
    for (std::size_t before = node.upwards.size() + 1; !node.upwards.empty() && node.upwards.size() < before;) {
        before = node.upwards.size();
        budget.spend(work_of_document * before);
        look(node);
        narrow(node, node);
        if (budget.exhausted()) break;
    }
}

// The same for all documents, with a value and a bound now and then, so that more effort is never worse. Returns
// whether nothing more can be decided in this way.
bool TimedDifference::settle(Node& node, Budget& budget) {
    std::size_t next = 1;
    for (std::size_t round = 1; !node.upwards.empty(); ++round) {
        const std::size_t before = node.upwards.size();
        if (round > 1 && !budget.spend(work_of_document * before)) return false;
        look(node);
        const bool decided = std::any_of(node.upwards.begin(), node.upwards.end(),
                                         [&](std::uint32_t document) { return relevance[document] != undecided; });
        if (!decided || round == next) {
            const double found = keep_guess(node);
            most_ = std::min(most_, found + bound(node));
            next = 2 * round;
        }
        narrow(node, node);
        if (!decided) return true;
    }
    keep_guess(node);
    return true;
}

// With the guesses.
double TimedDifference::value(const Line& line) const {
    double rest = line.gain.back();
    for (std::size_t i = line.documents.size(); i-- > 0;) {
        const std::uint32_t document = line.documents[i];
        const Factors f = factors[document];
        rest = line.gain[i] + line.factor[i] * (guess_[document] ? gain + f.relevant * rest : f.other * rest);
    }
    return rest;
}

// From the guess to any other assignment, documents change one after the other, those further down in the favoured list
// first: each changes the value by its derivative, where all above it are as guessed.
double TimedDifference::bound(const Node& node) {
    sums_.clear(node.other.documents.size());
    guessed_.clear(node.other.documents.size());
    Looks wanted;
    double most = 0, guessed = 0;
    const auto add = [&](std::uint32_t document, Interval slope) {
        wanted();
        most += std::max(guess_[document] ? -slope.least : slope.most, 0.0);
    };
    for (std::size_t i = 0; i < node.favoured.documents.size(); ++i) {
        const std::uint32_t document = node.favoured.documents[i], place = place_other_[document];
        const Interval mine = term(node.favoured, i, {guessed, guessed});
        Interval theirs{0, 0};
        if (place != nowhere) {
            const double known = guessed_.sum(place), open = node.other.fade[place] - sums_.sum(place);
            theirs = term(node.other, place, {known + open, known});
            sums_.add(place + 1, fade_[document]);
            if (guess_[document]) guessed_.add(place + 1, fade_[document]);
        }
        if (guess_[document]) guessed += fade_[document];
        add(document, {mine.least - theirs.most, mine.most - theirs.least});
    }
    for (std::size_t i = 0; i < node.other.documents.size(); ++i) {
        const std::uint32_t document = node.other.documents[i];
        if (place_favoured_[document] != nowhere) continue;
        const double known = guessed_.sum(i);
        const Interval theirs = term(node.other, i, {known, known});
        if (guess_[document]) guessed_.add(i + 1, fade_[document]);
        add(document, {-theirs.most, -theirs.least});
    }
    return most;
}

// As the walk sees a list; unknowns are numbered as they stand in `upwards`.
void TimedDifference::describe(const Line& line, TimedWalk::List& list) const {
    const std::size_t size = line.documents.size();
    list.unknowns.resize(size);
    list.gain.resize(size);
    list.known.resize(size + 1);
    double reach = 1;
    for (std::size_t i = 0; i < size; ++i) {
        list.known[i] = reach * line.gain[i];
        reach *= line.factor[i];
        list.unknowns[i] = number_[line.documents[i]];
        list.gain[i] = reach * gain;
        reach *= factors[line.documents[i]].other;
    }
    list.known[size] = reach * line.gain[size];
}

// Finds the best, where there is enough effort for that.
bool TimedDifference::walk(const Node& node, Budget& budget) {
    number_.resize(factors.size());
    walk_.keep.clear();
    for (const std::uint32_t document : node.upwards) {
        number_[document] = static_cast<std::uint32_t>(walk_.keep.size());
        walk_.keep.push_back(std::exp(fade_[document]));
    }
    describe(node.favoured, walk_.favoured);
    describe(node.other, walk_.other);
    if (!walk_.maximise(budget)) return false;
    for (const std::uint32_t document : node.upwards) guess_[document] = walk_.assignment()[number_[document]];
    keep_guess(node);
    return true;
}

// Returns the value of the guess.
double TimedDifference::keep_guess(const Node& node) {
    const double found = value(node.favoured) - value(node.other);
    if (found > best_value_) {
        best_value_ = found;
        best_ = relevance;
        for (const std::uint32_t document : node.upwards) best_[document] = guess_[document];
    }
    return found;
}

void TimedDifference::search(std::size_t depth, Budget& budget) {
    Node& node = nodes_[depth];
    persist(node, budget);
    if (budget.exhausted()) look(node);  // the bounds do not know yet what was decided last
    const double found = keep_guess(node);
    if (node.upwards.empty()) return;
    const double most = found + bound(node);
    if (most <= best_value_ + tolerance_) return;
    if (budget.exhausted() || (depth + 2) * nodes_[0].upwards.size() > most_documents) {
        put_aside_ = std::max(put_aside_, most);
        return;
    }
    if (nodes_.size() == depth + 1) nodes_.emplace_back();
    const std::uint32_t document = nodes_[depth].upwards.front();
    const char first = guess_[document];
    for (const char value : {first, static_cast<char>(1 - first)}) {
        relevance[document] = value;
        narrow(nodes_[depth], nodes_[depth + 1]);
        search(depth + 1, budget);
        for (const std::uint32_t open : nodes_[depth].upwards) relevance[open] = undecided;
    }
}

// Returns an upper bound of what was put aside, or of the best that was found.
double TimedDifference::branch(Budget& budget) {
    put_aside_ = never;
    search(0, budget);
    return std::max(put_aside_, best_value_);
}

Optimum TimedDifference::maximise(double tolerance, Budget& budget) {
    shared_.resize(factors.size());
    guess_.assign(factors.size(), 0);
    best_value_ = never;
    most_ = -never;
    best_ = relevance;
    tolerance_ = tolerance;
    if (nodes_.empty()) nodes_.emplace_back();
    set_up(nodes_[0]);
    narrow(nodes_[0], nodes_[0]);
    keep_guess(nodes_[0]);  // nothing relevant: of the two directions, one is not negative
    bool proven = settle(nodes_[0], budget) && nodes_[0].upwards.empty();
    // The walk and the search are each quick where the other may be slow: both are tried with little effort first.
    for (const std::size_t share : {64, 1}) {
        if (proven || budget.exhausted()) break;
        Budget part = budget.part(share);
        proven = walk(nodes_[0], part);
        if (!proven) most_ = std::min(most_, branch(part));
        budget.take_back(part);
        proven = proven || most_ <= best_value_ + tolerance_;
    }
    relevance = best_;
    return {best_value_, proven ? 0.0 : std::max(most_ - best_value_, 0.0)};
}

}  // namespace medir
