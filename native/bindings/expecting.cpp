#include "drivers/expecting.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace medir;

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
           Array<double, 3> values, Array<double, 2> sums, Array<std::uint32_t, 3> changes, Progress& progress) {
            const std::size_t columns = Estimates::before_quantiles + order.size(), queries = pairing.size();
            require_size(reaches.size(), measures.size(), "reaches");
            require_size(order.size(), 3 * levels.size(), "order");
            require_shape(values, {measures.size(), columns, queries}, "values");
            require_shape(sums, {measures.size(), samples}, "sums");
            require_runs(options.reading.unseen, 2);
            require_shape(changes, {options.reaches.size(), change_columns.size(), queries}, "changes");
            for (const std::uint32_t place : order)
                require(place >= 1 && place <= samples, "order must name samples, from 1 on");
            std::vector<std::shared_ptr<const Multilinear>> multilinear;
            for (const auto& measure : measures) multilinear.push_back(multilinear_of(measure));
            const nb::gil_scoped_release release;
            return expect(pairing, qrels, multilinear, options, prior, {{samples, levels, order}, seed, reaches},
                          {values.data(), sums.data(), changes.data()}, progress);
        },
        "pairing"_a, "qrels"_a.none(), "measures"_a, "reaches"_a, "options"_a, "prior"_a, "samples"_a, "seed"_a,
        "levels"_a, "order"_a, "values"_a.noconvert(), "sums"_a.noconvert(), "changes"_a.noconvert(), "progress"_a);
}
