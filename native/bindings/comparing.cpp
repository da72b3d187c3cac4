#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>

#include <optional>

#include "drivers/comparing.hpp"
#include "drivers/rows.hpp"
#include "drivers/scoring.hpp"
#include "shards.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace medir;

namespace {

template <std::size_t Size>
nb::tuple names_of(const std::array<std::string_view, Size>& columns) {
    nb::list names;
    for (const std::string_view column : columns) names.append(nb::str(column.data(), column.size()));
    return nb::tuple(names);
}

}  // namespace

void bind_comparing(nb::module_& module) {
    module.attr("COLUMNS") = names_of(difference_columns);
    module.attr("CHANGES") = names_of(change_columns);
    module.attr("VALUE") = nb::str(rank_column.data(), rank_column.size());

    nb::enum_<UnseenRule>(module, "UnseenRule")
        .value("auto", UnseenRule::automatic)
        .value("anything", UnseenRule::anything)
        .value("nothing", UnseenRule::nothing);
    nb::class_<Unseen>(module, "Unseen").def(nb::init<UnseenRule, std::vector<std::size_t>>(), "rule"_a, "cuts"_a);
    nb::enum_<Ties>(module, "Ties").value("ignored", Ties::ignored).value("kept", Ties::kept);
    nb::enum_<RowFormat>(module, "RowFormat")
        .value("csv", RowFormat::csv)
        .value("tsv", RowFormat::tsv)
        .value("jsonl", RowFormat::jsonl);

    nb::class_<Options>(module, "Options")
        .def(
            "__init__",
            [](Options* self, std::size_t depth, std::vector<std::size_t> reaches, const Unseen& unseen,
               Repeats repeats, Intents intents, Ties ties, int threads, std::shared_ptr<const Lengths> lengths,
               std::shared_ptr<const Clusters> clusters) {
                require_threads(threads);
                new (self) Options{{depth, repeats, intents, ties, unseen, std::move(clusters)},
                                   std::move(reaches),
                                   threads,
                                   std::move(lengths)};
            },
            "depth"_a, "reaches"_a, "unseen"_a, "repeats"_a, "intents"_a, "ties"_a, "threads"_a,
            "lengths"_a = nb::none(), "clusters"_a = nb::none());

    nb::class_<Counts>(module, "Counts")
        .def_ro("repeats", &Counts::repeats)
        .def_ro("without_relevant", &Counts::without_relevant)
        .def_ro("without_length", &Counts::without_length)
        .def_prop_ro("unseen", &Counts::unseen)
        .def_prop_ro("ended", &Counts::ended);

    nb::class_<Progress>(module, "Progress")
        .def(
            "__init__",
            [](Progress* self, std::optional<nb::typed<nb::callable, void(std::size_t)>> watcher) {
                // An interrupt is answered where Python takes signals: in its main thread.
                new (self) Progress([self, watcher = std::move(watcher)] {
                    const nb::gil_scoped_acquire acquire;
                    if (PyErr_CheckSignals() != 0) throw nb::python_error();
                    if (watcher) (*watcher)(self->done.load());
                });
            },
            "watcher"_a = nb::none())
        .def_prop_ro("done", [](const Progress& progress) { return progress.done.load(); });

    nb::class_<Pairing>(module, "Pairing")
        .def(
            "__init__",
            [](Pairing* self, std::shared_ptr<const Lists> before, std::shared_ptr<const Lists> after, int threads) {
                require_threads(threads);
                const nb::gil_scoped_release release;
                new (self) Pairing(std::move(before), std::move(after), threads);
            },
            "before"_a, "after"_a, "threads"_a)
        .def("__len__", &Pairing::size)
        .def("keep_common", &Pairing::keep_common)
        .def("sort", nb::overload_cast<>(&Pairing::sort), nb::call_guard<nb::gil_scoped_release>())
        .def("take_only_after", &Pairing::take_only_after)
        .def("is_compared",
             [](const Pairing& pairing, std::size_t i) {
                 require_position(i, pairing.size(), "query");
                 return pairing.compared(i).places != nullptr;
             })
        .def_prop_ro("only_before", &Pairing::only_before)
        .def_prop_ro("only_after", &Pairing::only_after)
        .def(
            "sides",
            [](const Pairing& pairing, Array<std::uint8_t, 1> sides) {
                require_shape(sides, {pairing.size()}, "sides");
                for (std::size_t i = 0; i < pairing.size(); ++i) {
                    const auto [before, after] = pairing[i];
                    sides(i) = static_cast<std::uint8_t>((after == ByteIndex::none) + 2 * (before == ByteIndex::none));
                }
            },
            "sides"_a.noconvert())
        .def("in_both",
             [](const Pairing& pairing, std::size_t i) {
                 require_position(i, pairing.size(), "query");
                 return pairing[i].before != ByteIndex::none && pairing[i].after != ByteIndex::none;
             })
        .def("queries", &ids_of<Pairing, &Pairing::size>)
        .def(
            "find",
            [](const Pairing& pairing, const nb::bytes& query) -> std::optional<std::size_t> {
                const std::size_t found = pairing.find(Padded(query).id());
                return found == pairing.size() ? std::nullopt : std::optional(found);
            },
            "query"_a)
        .def("query", [](const Pairing& pairing, std::size_t i) {
            require_position(i, pairing.size(), "query");
            const nb::bytes id = bytes_of(pairing.query(i));
            pairing.check_sources();
            return id;
        });

    module.def(
        "compare",
        [](const Pairing& pairing, const Lists* qrels, const std::vector<std::shared_ptr<const Measure>>& measures,
           const Options& options, Array<double, 3> values, Array<std::uint32_t, 3> changes, Progress& progress,
           RequestedShards* shards) {
            require_runs(options.reading.unseen, 2);
            require_size(options.reaches.size(), measures.size(), "reaches");
            require_shape(values, {measures.size(), difference_columns.size(), pairing.size()}, "values");
            require_shape(changes, {measures.size(), change_columns.size(), pairing.size()}, "changes");
            if (shards != nullptr) {
                require_size(shards->native.measures.size(), measures.size(), "measures of shards");
                require_shape(shards->checksums, {pairing.size()}, "checksums");
            }
            const Columns columns{values.data(), changes.data(), pairing.size()};
            const nb::gil_scoped_release release;
            const Counts counts = compare(pairing, qrels, measures, options, columns,
                                          shards == nullptr ? nullptr : &shards->native, progress);
            if (shards != nullptr) shards->finish();
            return counts;
        },
        "pairing"_a, "qrels"_a.none(), "measures"_a, "options"_a, "values"_a.noconvert(), "changes"_a.noconvert(),
        "progress"_a, "shards"_a.none() = nb::none());
    module.def(
        "score",
        [](const Lists& run, const Lists& qrels, const std::vector<std::shared_ptr<const Measure>>& measures,
           const Options& options, Array<double, 2> values) {
            require_shape(values, {measures.size(), qrels.queries()}, "values");
            const auto effectiveness = effectiveness_of(measures);
            const nb::gil_scoped_release release;
            return score(run, qrels, effectiveness, options, values.data());
        },
        "run"_a, "qrels"_a, "measures"_a, "options"_a, "values"_a.noconvert());
    module.def(
        "write_rows",
        [](const Pairing& pairing, const std::vector<std::string>& measures, const std::vector<bool>& of_ranks,
           const Array<const double, 3>& values, const Array<const std::uint32_t, 3>& changes, const QueryRows* table,
           RowFormat format, bool spreadsheet, int threads, const nb::callable& sink) {
            require_size(of_ranks.size(), measures.size(), "of_ranks");
            require_shape(values, {measures.size(), difference_columns.size(), pairing.size()}, "values");
            require_shape(changes, {measures.size(), change_columns.size(), pairing.size()}, "changes");
            if (table != nullptr) require_size(table->size(), pairing.size(), "table");
            require_threads(threads);
            const nb::gil_scoped_release release;
            write_rows({pairing, measures, of_ranks, values.data(), changes.data(), table}, {format, spreadsheet},
                       threads, sink_of(sink));
        },
        "pairing"_a, "measures"_a, "of_ranks"_a, "values"_a.noconvert(), "changes"_a.noconvert(), "table"_a.none(),
        "format"_a, "spreadsheet"_a, "threads"_a, "sink"_a);
}
