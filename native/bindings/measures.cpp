#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>

#include <memory>
#include <optional>

#include "bindings.hpp"
#include "measures/average_precision.hpp"
#include "measures/cascade.hpp"
#include "measures/dot_product.hpp"
#include "measures/intents.hpp"
#include "measures/time_biased_gain.hpp"
#include "measures/within_lists.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace medir;

namespace {

Effort effort_of(std::size_t steps, std::optional<double> seconds) {
    return seconds ? Effort(steps, *seconds) : Effort(steps);
}

}  // namespace

void bind_measures(nb::module_& module) {
    nb::class_<Measure>(module, "Measure");
    nb::class_<Effectiveness, Measure>(module, "Effectiveness");
    nb::class_<DotProduct, Effectiveness>(module, "DotProduct")
        .def(
            "__init__",
            [](DotProduct* self, const Column<double>& discount, const Column<double>& tail,
               const Column<double>& values, const Column<std::int64_t>& available, double norm) {
                require(values.size() > 0, "values must have one for each grade");
                auto by_rank = vector_of(discount);
                by_rank.insert(by_rank.begin(), 0.0);
                new (self)
                    DotProduct(std::move(by_rank), vector_of(tail), vector_of(values), vector_of(available), norm);
            },
            "discount"_a.noconvert(), "tail"_a.noconvert(), "values"_a.noconvert(), "available"_a.noconvert(),
            "norm"_a);

    nb::class_<AveragePrecision, Effectiveness>(module, "AveragePrecision")
        .def(
            "__init__",
            [](AveragePrecision* self, std::size_t cutoff, int rel, double norm, std::size_t effort,
               std::optional<double> seconds) {
                new (self) AveragePrecision(cutoff, rel, norm, effort_of(effort, seconds));
            },
            "cutoff"_a, "rel"_a, "norm"_a, "effort"_a, "seconds"_a = nb::none());
    nb::class_<Cascade, Effectiveness>(module, "Cascade")
        .def(
            "__init__",
            [](Cascade* self, const Column<double>& discount, const Column<double>& tail, const Column<double>& values,
               double decay, double norm, std::size_t effort, std::optional<double> seconds) {
                require(values.size() > 0, "values must have one for each grade");
                auto by_rank = vector_of(discount);
                by_rank.insert(by_rank.begin(), 0.0);
                new (self) Cascade(std::move(by_rank), vector_of(tail), vector_of(values), decay, norm,
                                   effort_of(effort, seconds));
            },
            "discount"_a.noconvert(), "tail"_a.noconvert(), "values"_a.noconvert(), "decay"_a, "norm"_a, "effort"_a,
            "seconds"_a = nb::none());
    nb::class_<TimeBiasedGain, Effectiveness>(module, "TimeBiasedGain")
        .def(
            "__init__",
            [](TimeBiasedGain* self, double half_life, double gain, double snippet, double document, double word,
               double click_relevant, double click_not_relevant, std::optional<std::size_t> cutoff, int rel,
               std::size_t effort, std::optional<double> seconds) {
                new (self)
                    TimeBiasedGain({half_life, gain, snippet, document, word, click_relevant, click_not_relevant},
                                   cutoff.value_or(TimeBiasedGain::endless), rel, effort_of(effort, seconds));
            },
            "half_life"_a, "gain"_a, "snippet"_a, "document"_a, "word"_a, "click_relevant"_a, "click_not_relevant"_a,
            "cutoff"_a.none(), "rel"_a, "effort"_a, "seconds"_a = nb::none());
    nb::class_<IntentAware, Effectiveness>(module, "IntentAware")
        .def(
            "__init__",
            [](IntentAware* self, const std::shared_ptr<const Measure>& one, std::size_t intents) {
                new (self) IntentAware(multilinear_of(one), intents);
            },
            "one"_a, "intents"_a);
    nb::class_<WithinLists, Effectiveness>(module, "WithinLists")
        .def(
            "__init__",
            [](WithinLists* self, const std::shared_ptr<const Measure>& one) {
                new (self) WithinLists(multilinear_of(one));
            },
            "one"_a);
}
