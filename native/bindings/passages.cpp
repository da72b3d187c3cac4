#include "trails/passages.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "drivers/comparing_passages.hpp"
#include "trails/weighing.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace medir;

namespace {

template <class Scalar>
using Column = nb::ndarray<const Scalar, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Scalar>
std::vector<Scalar> vector_of(const Column<Scalar>& array) {
    return {array.data(), array.data() + array.size()};
}

nb::bytes bytes_of(std::string_view text) { return nb::bytes(text.data(), text.size()); }

std::string_view view(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

std::shared_ptr<TrecPassages> read_passages(const nb::bytes& name, const nb::object& content, PassageLayout layout,
                                            Order order, int threads) {
    const std::string path(view(name));
    const bool mapped = content.is_none();
    std::string_view bytes;
    if (!mapped) bytes = view(nb::cast<nb::bytes>(content));
    const nb::gil_scoped_release release;
    return std::make_shared<TrecPassages>(mapped ? Text::map(path) : Text::copy(path, bytes), layout, order, threads);
}

nb::list passages_of(const Passages& lists, std::size_t query) {
    std::vector<Passage> passages;
    std::vector<RankedPassage> scratch;
    lists.read_passages(query, passages, scratch);
    nb::list rows;
    for (const Passage& one : passages)
        rows.append(nb::make_tuple(bytes_of(one.document()), one.start, one.length, one.seconds));
    return rows;
}

// What each stretch of a query adds, in both directions, and what unseen text adds.
nb::tuple weigh_query(const Pairing& pairing, std::size_t query, const Lists* gold, const TrailMeasure& measure,
                      const TrailOptions& options) {
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
    const Difference row = weighing.difference(options.unseen);
    const bool endless = options.unseen == Unseen::anything;
    return nb::make_tuple(nb::make_tuple(row.med, row.gain, row.loss, row.lower, row.gap), rows,
                          endless ? weighing.unseen(after_run) : 0.0, endless ? weighing.unseen(before_run) : 0.0);
}

}  // namespace

void bind_passages(nb::module_& module) {
    nb::enum_<PassageLayout>(module, "PassageLayout")
        .value("run", PassageLayout::run)
        .value("gold", PassageLayout::gold);
    nb::class_<TrecPassages, Lists>(module, "TrecPassages")
        .def("check", &TrecPassages::check, "threads"_a, nb::call_guard<nb::gil_scoped_release>())
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
                new (self)
                    ColumnPassages(std::move(name), Strings(view(queries), vector_of(query_ends)), vector_of(list_ends),
                                   Strings(view(names), vector_of(name_ends)),
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
            [](TrailOptions* self, std::size_t depth, double reach, bool closed, Unseen unseen, int threads) {
                new (self) TrailOptions{{depth, reach, closed}, unseen, threads};
            },
            "depth"_a, "reach"_a, "closed"_a, "unseen"_a, "threads"_a);
    nb::class_<TrailCounts>(module, "TrailCounts")
        .def_ro("short_texts", &TrailCounts::short_texts)
        .def_ro("without_relevant", &TrailCounts::without_relevant)
        .def_ro("empty", &TrailCounts::empty)
        .def_ro("repeated", &TrailCounts::repeated)
        .def_ro("gold_repeated", &TrailCounts::gold_repeated);

    using Results = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
    using Moves = nb::ndarray<std::uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
    module.def(
        "compare_passages",
        [](const Pairing& pairing, const Lists* gold, const std::vector<std::shared_ptr<const TrailMeasure>>& measures,
           const TrailOptions& options, Results values, Moves changes, Progress& progress) {
            const nb::gil_scoped_release release;
            return compare_passages(pairing, gold, measures, options, {values.data(), changes.data()}, progress);
        },
        "pairing"_a, "gold"_a.none(), "measures"_a, "options"_a, "values"_a.noconvert(), "changes"_a.noconvert(),
        "progress"_a);
    module.def("weigh_query", &weigh_query, "pairing"_a, "query"_a, "gold"_a.none(), "measure"_a, "options"_a);
}
