// The heuristics of Tan and Clarke's paper on MED, as yardsticks for the exact solvers.
//
// Both take the lists without judgments, as the paper does, and look at both directions: the free documents and the
// unseen ranks of the favoured list are relevant, those of the other are not, and the bound documents are searched.
#pragma once

#include "pairs/matching.hpp"

namespace medir {

// MED-AP by tabu search. The paper says that it implements "a version of" the tabu search in Beasley, "Heuristic
// algorithms for the unconstrained binary quadratic programming problem" (1998), and gives no parameters; these are
// Beasley's, for n bound documents:
//
// - start: no bound document is relevant, and none is tabu;
// - step: look at the flips of the documents that are not tabu, in order. The first one that beats the best value so
//   far is made, and a local search follows (passes over all documents that make every improving flip, until a pass
//   makes none). If none beats it, the best of them is made, even if the value falls;
// - a flipped document is tabu for the next min(20, n/4) steps;
// - end: max(500000, 5000 n) flips have been looked at, those of the local searches included.
//
// What every flip would change is kept up to date, so that looking at one takes constant time, and making one takes n.
double tabu_average_precision(const Matching& matching, std::size_t cutoff);

// MED-ERR by enumeration, with the paper's parameters: every combination of up to five bound documents among the first
// thirty ranks of the favoured list is made relevant (3/4, the top of three grades), and every other bound document is
// not. In the other list these documents may stand at any rank.
//
// The combinations are built from the top rank down, so that one more document takes a few operations and not a pass
// over both lists.
double five_of_thirty(const Matching& matching);

}  // namespace medir
