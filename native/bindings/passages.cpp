#include "trails/passages.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings.hpp"
#include "drivers/comparing_passages.hpp"
#include "trails/weighing.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace medir;

namespace {

const Passages& passages_in(const Lists& lists) {
    const auto* passages = dynamic_cast<const Passages*>(&lists);
    if (passages == nullptr) throw nb::type_error("the lists must be of passages");
    return *passages;
}

void require_passages(const Pairing& pairing, const Lists* gold) {
    passages_in(pairing.before());
    passages_in(pairing.after());
    if (gold != nullptr) passages_in(*gold);
}

std::shared_ptr<TrecPassages> read_passages(const nb::bytes& name, const nb::object& content, PassageLayout layout,
                                            Order order, int threads) {
    require_threads(threads);
    auto blocks = blocks_of(std::string(view(name)), content);
    const nb::gil_scoped_release release;
    return std::make_shared<TrecPassages>(std::move(blocks), layout, order, threads);
}

nb::list passages_of(const Lists& lists, std::size_t query) {
    require_position(query, lists.queries(), "query");
    std::vector<Passage> passages;
    std::vector<PassageRank> scratch;
    passages_in(lists).read_passages(query, passages, scratch);
    nb::list rows;
    for (const Passage& one : passages)
        rows.append(nb::make_tuple(bytes_of(one.document()), one.start, one.length, one.seconds));
    lists.check_source();
    return rows;
}

// What each stretch of a query adds, in both directions, and what unseen text adds.
nb::tuple weigh_query(const Pairing& pairing, std::size_t query, const Lists* gold, const TrailMeasure& measure,
                      const TrailOptions& options) {
    require_passages(pairing, gold);
    require_runs(options.scope.unseen, 2);
    require_position(query, pairing.size(), "query");
    Trailtexts trails;
    lay_out(pairing, query, gold, options.scope, trails);
    Weighing weighing;
    weighing.weigh(trails, measure);
    const auto& stretches = trails.stretches();
    std::vector<BySide<double>> added(stretches.size());
    for (const Part& part : weighing.parts())
        for (const std::size_t side : {before_run, after_run}) added[part.stretch][side] += weighing.added(part, side);
    nb::list rows;
    for (std::size_t i = 0; i < stretches.size(); ++i) {
        const Stretch& one = stretches[i];
        const auto place = [&](std::size_t side) -> nb::object {
            return one.is_shown(side) ? nb::object(nb::int_(one.places[side])) : nb::none();
        };
        const nb::object relevant =
            one.judged == Judged::unknown ? nb::none() : nb::object(nb::bool_(one.judged == Judged::relevant));
        rows.append(nb::make_tuple(bytes_of(trails.id(one.document)), one.start, one.length, place(before_run),
                                   place(after_run), relevant, added[i][after_run], added[i][before_run]));
    }
    pairing.check_sources();
    if (gold != nullptr) gold->check_source();
    return nb::make_tuple(row_of(weighing.difference()), rows, weighing.unseen(after_run), weighing.unseen(before_run));
}

}  // namespace

void bind_passages(nb::module_& module) {
    nb::enum_<PassageLayout>(module, "PassageLayout")
        .value("run", PassageLayout::run)
        .value("gold", PassageLayout::gold);
    nb::class_<TrecPassages, Lists>(module, "TrecPassages")
        .def(
            "passages", [](const TrecPassages& self, std::size_t query) { return passages_of(self, query); },
            "query"_a);
    nb::class_<ColumnPassages, Lists>(module, "ColumnPassages")
        .def(
            "__init__",
            [](ColumnPassages* self, std::string name, const nb::bytes& queries,
               const Column<std::uint64_t>& query_ends, const Column<std::uint64_t>& list_ends, const nb::bytes& names,
               const Column<std::uint64_t>& name_ends, const Column<std::uint32_t>& documents,
               const Column<std::int64_t>& starts, const Column<std::int64_t>& lengths, const Column<double>& seconds) {
                require_size(list_ends.size(), query_ends.size(), "list_ends");
                require_ends(list_ends, documents.size(), "list_ends");
                require_size(starts.size(), documents.size(), "starts");
                require_size(lengths.size(), documents.size(), "lengths");
                if (seconds.size() > 0) require_size(seconds.size(), documents.size(), "seconds");
                for (std::size_t i = 0; i < documents.size(); ++i)
                    require_position(documents.data()[i], name_ends.size(), "name");
                new (self)
                    ColumnPassages(std::move(name), strings_of(queries, query_ends, "query_ends"), vector_of(list_ends),
                                   strings_of(names, name_ends, "name_ends"),
                                   {vector_of(documents), vector_of(starts), vector_of(lengths), vector_of(seconds)});
            },
            "name"_a, "queries"_a, "query_ends"_a.noconvert(), "list_ends"_a.noconvert(), "names"_a,
            "name_ends"_a.noconvert(), "documents"_a.noconvert(), "starts"_a.noconvert(), "lengths"_a.noconvert(),
            "seconds"_a.noconvert())
        .def(
            "passages", [](const ColumnPassages& self, std::size_t query) { return passages_of(self, query); },
            "query"_a);
    module.def("read_passages", &read_passages, "name"_a, "content"_a.none(), "layout"_a, "order"_a, "threads"_a);

    nb::enum_<TrailDiscount>(module, "TrailDiscount")
        .value("linear", TrailDiscount::linear)
        .value("none", TrailDiscount::none)
        .value("exponential", TrailDiscount::exponential);
    nb::class_<TrailMeasure>(module, "TrailMeasure");
    nb::class_<UMeasure, TrailMeasure>(module, "UMeasure")
        .def(nb::init<TrailDiscount, double, double>(), "discount"_a, "depth"_a, "half_life"_a);
    nb::class_<TimeBiasedTrail, TrailMeasure>(module, "TimeBiasedTrail")
        .def(nb::init<double, double>(), "half_life"_a, "speed"_a);
    nb::class_<TrailOptions>(module, "TrailOptions")
        .def(
            "__init__",
            [](TrailOptions* self, std::size_t depth, std::vector<double> reaches, bool closed, const Unseen& unseen,
               int threads) {
                require_threads(threads);
                const double deepest = reaches.empty() ? 0.0 : *std::max_element(reaches.begin(), reaches.end());
                new (self) TrailOptions{{depth, deepest, closed, unseen}, std::move(reaches), threads};
            },
            "depth"_a, "reaches"_a, "closed"_a, "unseen"_a, "threads"_a);
    nb::class_<TrailCounts>(module, "TrailCounts")
        .def_ro("unseen", &TrailCounts::unseen)
        .def_ro("ended", &TrailCounts::ended)
        .def_ro("without_relevant", &TrailCounts::without_relevant)
        .def_ro("empty", &TrailCounts::empty)
        .def_ro("repeated", &TrailCounts::repeated)
        .def_ro("gold_repeated", &TrailCounts::gold_repeated);

    module.def(
        "compare_passages",
        [](const Pairing& pairing, const Lists* gold, const std::vector<std::shared_ptr<const TrailMeasure>>& measures,
           const TrailOptions& options, Array<double, 3> values, Array<std::uint32_t, 3> changes, Progress& progress) {
            require_passages(pairing, gold);
            require_runs(options.scope.unseen, 2);
            require_size(options.reaches.size(), measures.size(), "reaches");
            require_shape(values, {measures.size(), difference_columns.size(), pairing.size()}, "values");
            require_shape(changes, {measures.size(), change_columns.size(), pairing.size()}, "changes");
            const nb::gil_scoped_release release;
            return compare_passages(pairing, gold, measures, options, {values.data(), changes.data(), pairing.size()},
                                    progress);
        },
        "pairing"_a, "gold"_a.none(), "measures"_a, "options"_a, "values"_a.noconvert(), "changes"_a.noconvert(),
        "progress"_a);
    module.def(
        "compare_passage_pairs",
        [](const Pool& pool, const std::vector<std::pair<std::size_t, std::size_t>>& pairs, const Lists* gold,
           const std::vector<std::shared_ptr<const TrailMeasure>>& measures, const TrailOptions& options,
           Array<double, 3> values, Array<double, 3> notes, Array<std::uint8_t, 1> finished, Progress& progress) {
            for (std::size_t r = 0; r < pool.runs(); ++r) passages_in(pool.run(r));
            if (gold != nullptr) passages_in(*gold);
            for (const auto& [before, after] : pairs) require_position(std::max(before, after), pool.runs(), "run");
            require_runs(options.scope.unseen, pool.runs());
            require_size(options.reaches.size(), measures.size(), "reaches");
            require_shape(values, {measures.size(), pairs.size(), pool.size()}, "values");
            require_shape(notes, {measures.size(), PairNotes::columns, pool.size()}, "notes");
            require_shape(finished, {pool.size()}, "finished");
            const nb::gil_scoped_release release;
            compare_passage_pairs(pool, pairs, gold, measures, options, values.data(), {notes.data(), pool.size()},
                                  finished.data(), progress);
        },
        "pool"_a, "pairs"_a, "gold"_a.none(), "measures"_a, "options"_a, "values"_a.noconvert(), "notes"_a.noconvert(),
        "finished"_a.noconvert(), "progress"_a);
    module.def("weigh_query", &weigh_query, "pairing"_a, "query"_a, "gold"_a.none(), "measure"_a, "options"_a);
}
