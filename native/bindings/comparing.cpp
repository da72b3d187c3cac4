#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bindings.hpp"
#include "drivers/comparing.hpp"
#include "drivers/rows.hpp"
#include "drivers/scoring.hpp"
#include "measures/average_precision.hpp"
#include "measures/cascade.hpp"
#include "measures/dot_product.hpp"
#include "measures/intents.hpp"
#include "measures/time_biased_gain.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace medir;

namespace {

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Limits = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Results = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using ReadResults = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Scores = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Moves = nb::ndarray<std::uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Array>
auto vector_of(const Array& array) {
    return std::vector<std::remove_cv_t<typename Array::Scalar>>(array.data(), array.data() + array.size());
}

void require(bool fits) {
    if (!fits) throw nb::value_error("an array has the wrong shape");
}

}  // namespace

void bind_comparing(nb::module_& module) {
    nb::enum_<Unseen>(module, "Unseen").value("anything", Unseen::anything).value("nothing", Unseen::nothing);
    nb::enum_<Repeats>(module, "Repeats").value("error", Repeats::error).value("first", Repeats::first);
    nb::enum_<Ties>(module, "Ties").value("ignored", Ties::ignored).value("kept", Ties::kept);
    nb::enum_<RowFormat>(module, "RowFormat")
        .value("csv", RowFormat::csv)
        .value("tsv", RowFormat::tsv)
        .value("jsonl", RowFormat::jsonl);

    nb::class_<Measure>(module, "Measure");
    nb::class_<DotProduct, Measure>(module, "DotProduct")
        .def(
            "__init__",
            [](DotProduct* self, const Numbers& discount, const Numbers& tail, const Numbers& values,
               const Limits& available, double norm) {
                auto by_rank = vector_of(discount);
                by_rank.insert(by_rank.begin(), 0.0);
                new (self)
                    DotProduct(std::move(by_rank), vector_of(tail), vector_of(values), vector_of(available), norm);
            },
            "discount"_a.noconvert(), "tail"_a.noconvert(), "values"_a.noconvert(), "available"_a.noconvert(),
            "norm"_a);

    nb::class_<AveragePrecision, Measure>(module, "AveragePrecision")
        .def(nb::init<std::size_t, int, double, std::size_t>(), "cutoff"_a, "rel"_a, "norm"_a, "effort"_a);
    nb::class_<Cascade, Measure>(module, "Cascade")
        .def(
            "__init__",
            [](Cascade* self, const Numbers& discount, const Numbers& tail, const Numbers& values, double decay,
               double norm, std::size_t effort) {
                auto by_rank = vector_of(discount);
                by_rank.insert(by_rank.begin(), 0.0);
                new (self) Cascade(std::move(by_rank), vector_of(tail), vector_of(values), decay, norm, effort);
            },
            "discount"_a.noconvert(), "tail"_a.noconvert(), "values"_a.noconvert(), "decay"_a, "norm"_a, "effort"_a);
    nb::class_<TimeBiasedGain, Measure>(module, "TimeBiasedGain")
        .def(
            "__init__",
            [](TimeBiasedGain* self, double half_life, double gain, double snippet, double document, double word,
               double click_relevant, double click_not_relevant, std::optional<std::size_t> cutoff, int rel,
               std::size_t effort) {
                new (self)
                    TimeBiasedGain({half_life, gain, snippet, document, word, click_relevant, click_not_relevant},
                                   cutoff.value_or(TimeBiasedGain::endless), rel, effort);
            },
            "half_life"_a, "gain"_a, "snippet"_a, "document"_a, "word"_a, "click_relevant"_a, "click_not_relevant"_a,
            "cutoff"_a.none(), "rel"_a, "effort"_a);
    nb::class_<IntentAware, Measure>(module, "IntentAware")
        .def(
            "__init__",
            [](IntentAware* self, const std::shared_ptr<const Measure>& one, std::size_t intents) {
                new (self) IntentAware(multilinear_of(one), intents);
            },
            "one"_a, "intents"_a);

    nb::class_<Options>(module, "Options")
        .def(
            "__init__",
            [](Options* self, std::size_t depth, std::size_t reach, Unseen unseen, Repeats repeats, Intents intents,
               Ties ties, int threads, std::shared_ptr<const Lengths> lengths) {
                new (self) Options{depth, reach, unseen, repeats, intents, ties, threads, std::move(lengths)};
            },
            "depth"_a, "reach"_a, "unseen"_a, "repeats"_a, "intents"_a, "ties"_a, "threads"_a,
            "lengths"_a = nb::none());

    nb::class_<Counts>(module, "Counts")
        .def_ro("repeats", &Counts::repeats)
        .def_ro("without_relevant", &Counts::without_relevant)
        .def_ro("short_lists", &Counts::short_lists)
        .def_ro("without_length", &Counts::without_length);

    nb::class_<Progress>(module, "Progress")
        .def(
            "__init__",
            [](Progress* self, const nb::object& watcher) {
                // An interrupt is answered where Python takes signals: in its main thread.
                new (self) Progress([self, watcher] {
                    const nb::gil_scoped_acquire acquire;
                    if (PyErr_CheckSignals() != 0) throw nb::python_error();
                    if (!watcher.is_none()) watcher(self->done.load());
                });
            },
            "watcher"_a = nb::none())
        .def_prop_ro("done", [](const Progress& progress) { return progress.done.load(); });

    nb::class_<Pairing>(module, "Pairing")
        .def(nb::init<std::shared_ptr<const Lists>, std::shared_ptr<const Lists>, int>(), "before"_a, "after"_a,
             "threads"_a, nb::call_guard<nb::gil_scoped_release>())
        .def("__len__", &Pairing::size)
        .def("keep_common", &Pairing::keep_common)
        .def_prop_ro("only_before", &Pairing::only_before)
        .def_prop_ro("only_after", &Pairing::only_after)
        .def("in_both",
             [](const Pairing& pairing, std::size_t i) {
                 return pairing[i].before != ByteIndex::none && pairing[i].after != ByteIndex::none;
             })
        .def("queries", &ids_of<Pairing, &Pairing::size>)
        .def(
            "find",
            [](const Pairing& pairing, const nb::bytes& query) -> std::optional<std::size_t> {
                const std::size_t found = pairing.find({query.c_str(), query.size()});
                return found == pairing.size() ? std::nullopt : std::optional(found);
            },
            "query"_a)
        .def("query", [](const Pairing& pairing, std::size_t i) {
            if (i >= pairing.size()) throw nb::index_error("there is no query at this position");
            return bytes_of(pairing.query(i));
        });

    module.def(
        "compare",
        [](const Pairing& pairing, const Lists* qrels, const std::vector<std::shared_ptr<const Measure>>& measures,
           const Options& options, Results values, Moves changes, Progress& progress) {
            const nb::gil_scoped_release release;
            return compare(pairing, qrels, measures, options, {values.data(), changes.data()}, progress);
        },
        "pairing"_a, "qrels"_a.none(), "measures"_a, "options"_a, "values"_a.noconvert(), "changes"_a.noconvert(),
        "progress"_a);
    module.def(
        "score",
        [](const Lists& run, const Lists& qrels, const std::vector<std::shared_ptr<const Measure>>& measures,
           const Options& options, Scores values) {
            std::vector<std::shared_ptr<const Effectiveness>> effectiveness;
            for (const auto& measure : measures) effectiveness.push_back(effectiveness_of(measure));
            const nb::gil_scoped_release release;
            return score(run, qrels, effectiveness, options, values.data());
        },
        "run"_a, "qrels"_a, "measures"_a, "options"_a, "values"_a.noconvert());
    module.def(
        "write_rows",
        [](const Pairing& pairing, const std::vector<std::string>& measures, const ReadResults& values,
           RowFormat format, int threads, const nb::callable& sink) {
            require(values.shape(0) == measures.size() && values.shape(1) == 5 && values.shape(2) == pairing.size());
            const nb::gil_scoped_release release;
            write_rows(pairing, measures, values.data(), format, threads, [&](std::string_view text) {
                const nb::gil_scoped_acquire acquire;
                sink(nb::steal(PyMemoryView_FromMemory(const_cast<char*>(text.data()),
                                                       static_cast<Py_ssize_t>(text.size()), PyBUF_READ)));
            });
        },
        "pairing"_a, "measures"_a, "values"_a.noconvert(), "format"_a, "threads"_a, "sink"_a);
}
