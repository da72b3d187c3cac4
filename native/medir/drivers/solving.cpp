#include "drivers/solving.hpp"

#include "drivers/comparing.hpp"

namespace medir {

Witness solve(const Pairing& pairing, std::size_t query, const Lists* qrels, const Effectiveness& measure,
              const Options& options, Matching& matching) {
    match_query(pairing, query, qrels, options, matching);
    const Side before = before_side(matching), after = after_side(matching);
    Witness witness;
    measure.favour(matching, after, before, options.unseen, &witness.gain_relevance);
    measure.favour(matching, before, after, options.unseen, &witness.loss_relevance);
    return witness;
}

}  // namespace medir
