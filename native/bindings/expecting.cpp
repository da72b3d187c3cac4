#include "drivers/expecting.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace medir;

namespace {

using Values = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Sums = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Moves = nb::ndarray<std::uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void require(bool fits) {
    if (!fits) throw nb::value_error("an array has the wrong shape");
}

}  // namespace

void bind_expecting(nb::module_& module) {
    nb::class_<Prior>(module, "Prior")
        .def(
            "__init__",
            [](Prior* self, std::vector<double> by_rank, std::shared_ptr<const Lists> by_document, double fallback) {
                new (self) Prior{std::move(by_rank), std::move(by_document), fallback};
            },
            "by_rank"_a, "by_document"_a.none(), "fallback"_a);
    nb::class_<ExpectedCounts, Counts>(module, "ExpectedCounts")
        .def_ro("unjudged", &ExpectedCounts::unjudged)
        .def_ro("without_prior", &ExpectedCounts::without_prior);
    module.def(
        "expect",
        [](const Pairing& pairing, const Lists* qrels, const std::vector<std::shared_ptr<const Measure>>& measures,
           const std::vector<std::size_t>& reaches, const Options& options, const Prior& prior, std::size_t samples,
           std::uint64_t seed, const std::vector<double>& levels, const std::vector<std::uint32_t>& order,
           Values values, Sums sums, Moves changes, Progress& progress) {
            const std::size_t columns = Estimates::before_quantiles + order.size(), queries = pairing.size();
            require(reaches.size() == measures.size() && order.size() == 3 * levels.size());
            require(values.shape(0) == measures.size() && values.shape(1) == columns && values.shape(2) == queries);
            require(sums.shape(0) == measures.size() && sums.shape(1) == samples);
            require(changes.shape(0) == 3 && changes.shape(1) == queries);
            for (const std::uint32_t place : order) require(place >= 1 && place <= samples);
            std::vector<std::shared_ptr<const Multilinear>> multilinear;
            for (const auto& measure : measures) multilinear.push_back(multilinear_of(measure));
            const nb::gil_scoped_release release;
            return expect(pairing, qrels, multilinear, options, prior, {{samples, levels, order}, seed, reaches},
                          {values.data(), sums.data(), changes.data()}, progress);
        },
        "pairing"_a, "qrels"_a.none(), "measures"_a, "reaches"_a, "options"_a, "prior"_a, "samples"_a, "seed"_a,
        "levels"_a, "order"_a, "values"_a.noconvert(), "sums"_a.noconvert(), "changes"_a.noconvert(), "progress"_a);
}
