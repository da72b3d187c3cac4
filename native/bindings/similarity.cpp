#include <nanobind/ndarray.h>

#include "bindings.hpp"
#include "similarity/correlations.hpp"
#include "similarity/distances.hpp"
#include "similarity/overlaps.hpp"
#include "similarity/rank_biased_overlap.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace medir;

namespace {

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::vector<double> vector_of(const Numbers& array) { return {array.data(), array.data() + array.size()}; }

}  // namespace

void bind_similarity(nb::module_& module) {
    nb::class_<Similarity, Measure>(module, "Similarity");

    nb::class_<RankBiasedOverlap, Similarity> overlap(module, "RankBiasedOverlap");
    nb::enum_<RankBiasedOverlap::Rest>(overlap, "Rest")
        .value("ext", RankBiasedOverlap::Rest::ext)
        .value("min", RankBiasedOverlap::Rest::min)
        .value("max", RankBiasedOverlap::Rest::max)
        .value("res", RankBiasedOverlap::Rest::res);
    nb::enum_<RankBiasedOverlap::Ties>(overlap, "Ties")
        .value("none", RankBiasedOverlap::Ties::none)
        .value("w", RankBiasedOverlap::Ties::w)
        .value("a", RankBiasedOverlap::Ties::a)
        .value("b", RankBiasedOverlap::Ties::b);
    overlap.def(nb::init<double, RankBiasedOverlap::Rest, RankBiasedOverlap::Ties, std::size_t, std::size_t>(), "p"_a,
                "rest"_a, "ties"_a, "cutoff"_a, "ranks"_a);

    nb::class_<RankCorrelation, Similarity> correlation(module, "RankCorrelation");
    nb::enum_<RankCorrelation::Kind>(correlation, "Kind")
        .value("tau_b", RankCorrelation::Kind::tau_b)
        .value("rho", RankCorrelation::Kind::rho)
        .value("tau_ap", RankCorrelation::Kind::tau_ap)
        .value("symmetric_tau_ap", RankCorrelation::Kind::symmetric_tau_ap);
    correlation.def(nb::init<RankCorrelation::Kind, bool, std::size_t>(), "kind"_a, "ties"_a, "cutoff"_a);

    nb::class_<SetOverlap, Similarity> sets(module, "SetOverlap");
    nb::enum_<SetOverlap::Kind>(sets, "Kind")
        .value("jaccard", SetOverlap::Kind::jaccard)
        .value("overlap", SetOverlap::Kind::overlap);
    sets.def(nb::init<SetOverlap::Kind, std::size_t>(), "kind"_a, "cutoff"_a);

    nb::class_<AnchorMap, Similarity>(module, "AnchorMap").def(nb::init<std::size_t>(), "cutoff"_a);
    nb::class_<Footrule, Similarity>(module, "Footrule")
        .def(nb::init<bool, std::size_t, bool>(), "normalized"_a, "cutoff"_a, "cut"_a);
    nb::class_<ReciprocalRankDistance, Similarity>(module, "ReciprocalRankDistance")
        .def(nb::init<std::size_t>(), "cutoff"_a);
    nb::class_<WeightedHoeffding, Similarity>(module, "WeightedHoeffding")
        .def(
            "__init__",
            [](WeightedHoeffding* self, const Numbers& weights, std::size_t documents, std::size_t cutoff) {
                new (self) WeightedHoeffding(vector_of(weights), documents, cutoff);
            },
            "weights"_a.noconvert(), "documents"_a, "cutoff"_a);

    nb::class_<PositionWeighted, Similarity> weighted(module, "PositionWeighted");
    nb::enum_<PositionWeighted::Kind>(weighted, "Kind")
        .value("kendall", PositionWeighted::Kind::kendall)
        .value("footrule", PositionWeighted::Kind::footrule);
    weighted.def(
        "__init__",
        [](PositionWeighted* self, PositionWeighted::Kind kind, const Numbers& positions, std::size_t cutoff) {
            new (self) PositionWeighted(kind, vector_of(positions), cutoff);
        },
        "kind"_a, "positions"_a.noconvert(), "cutoff"_a);
}
