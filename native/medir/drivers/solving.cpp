#include "drivers/solving.hpp"

#include "drivers/comparing.hpp"

namespace medir {

Solution solve(const Pairing& pairing, std::size_t query, const Lists* qrels, const Effectiveness& measure,
               const Options& options, Matching& matching) {
    match_query(pairing, query, qrels, options, matching);
    return measure.solve(matching, options.unseen, *measure.workspace());
}

}  // namespace medir
