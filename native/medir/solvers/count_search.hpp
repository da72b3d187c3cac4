// The exact maximum of a quadratic function of unknowns that are 0 or 1, where only counts matter: that of a difference
// in average precision, over documents that both lists hold.
//
// What an unknown adds to a list depends on how many unknowns above it there are relevant. A walk down both lists,
// along a path of cuts (see alignment.hpp), meets every unknown in one list and then in the other, or in both at once.
// If the two decisions for an unknown need not agree, all that matters at a cut is how many are relevant above it in
// each list, and a table of these counts gives the maximum, which is an upper bound of the one that is looked for. A
// price for each unknown, added where it is met first and subtracted where it is met again, changes nothing where both
// decisions agree: any prices give an upper bound.
//
// - Prices: what a decision is worth, at best, is known for both places of an unknown from one walk up and one down.
//   Prices that bring the two closer to each other make the bound smaller.
// - Counts through which no walk can be better than the best assignment are ruled out, and so are decisions.
// - Where prices do not help any more, walks of very different counts are equally good. The counts at the cut at which
//   they differ most are parted, and each part gets its own prices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solvers/alignment.hpp"
#include "solvers/optimum.hpp"

namespace medir {

class CountSearch {
public:
    const std::vector<double>* reciprocal = nullptr;  // 1/i by rank

    // No unknowns.
    void clear();
    // An unknown: what it adds by itself, its ranks in the favoured and in the other list, and whether the first
    // assignment has it. Two relevant unknowns add reciprocal[the larger rank] of the favoured list, less that of the
    // other list.
    void add(double linear, std::uint32_t first, std::uint32_t second, bool relevant);
    // `bound` is an upper bound. `effort` is how much work may be done before the search is cut short.
    Optimum maximise(double bound, std::size_t effort);
    // Which unknowns are 1 at the best value found.
    const std::vector<char>& assignment() const { return best_; }

private:
    static constexpr char undecided = 2;

    // From one cut to the next: an unknown is met in one list or in both. If it is relevant, that adds
    // base + price + by_count * a + by_lead * d, where a are relevant above in the favoured list, and d more than in
    // the other list.
    struct Step {
        std::uint32_t unknown;
        Alignment::Kind kind;
        int count, lead;  // by how much a and d grow
        double base, by_count, by_lead;
    };
    // The counts that are looked at at a cut.
    struct Window {
        int least_count, most_count, least_lead, most_lead;

        int counts() const { return most_count - least_count + 1; }
        int leads() const { return most_lead - least_lead + 1; }
        bool empty() const { return counts() <= 0 || leads() <= 0; }
        std::size_t size() const { return static_cast<std::size_t>(counts()) * static_cast<std::size_t>(leads()); }
    };
    struct Node {
        double bound;
        std::vector<Window> windows;  // by cut
        std::vector<char> decided;    // by unknown
        std::vector<double> prices;   // by unknown
    };
    // What the best walks are worth in which the unknown of a step is relevant or not.
    struct Worth {
        double without, with;
    };
    // The best walk: its decisions where unknowns are met for the first and for the second time, and its counts.
    struct Trail {
        std::vector<char> opening, closing;
        std::vector<int> counts;
    };

    void lay_out_steps();
    Node root() const;
    std::vector<double> shares(const std::vector<std::uint32_t>& order, const std::vector<std::uint32_t>& ranks,
                               const std::vector<char>& relevance) const;
    std::vector<double> prices_of(const std::vector<char>& relevance) const;
    bool narrow(std::vector<Window>& windows) const;
    std::size_t lay_out_table(const std::vector<Window>& windows);
    bool spend(std::size_t entries);
    double price(const Node& node, const Step& step) const;
    double walk_up(const Node& node);
    bool walk_down(Node& node);
    void trace(const Node& node);
    bool rule_out(Node& node);
    void improve(std::vector<char> relevance);
    double weight(std::size_t v, std::size_t u) const;
    std::vector<double> direction() const;
    bool tighten(Node& node);
    void part(Node node);

    std::vector<double> linear_;
    std::vector<std::uint32_t> first_, second_;
    std::vector<char> best_;
    Alignment alignment_;
    std::vector<std::uint32_t> favoured_, other_;  // the unknowns in the order of each list
    std::vector<Step> steps_;
    std::vector<std::uint32_t> opening_, closing_;  // by unknown: its steps; the same where it is met in both lists
    std::vector<std::size_t> offsets_;              // of the table, by cut
    std::vector<double> table_, above_, next_above_, through_, columns_without_, columns_with_;
    std::vector<Worth> worth_;   // by step
    std::vector<Trail> trails_;  // the latest, in turn
    std::size_t latest_ = 0;
    std::vector<Node> open_;
    double value_ = 0, tolerance_ = 0;
    std::size_t effort_ = 0;
};

}  // namespace medir
