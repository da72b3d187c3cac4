#include "drivers/exposure.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>

#include "bindings.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace medir;

namespace {

std::string document(const Exposures& exposures, std::size_t number) {
    require_position(number, exposures.size(), "document");
    for (const auto& part : exposures.parts) {
        if (number < part.size()) return part[number].document();
        number -= part.size();
    }
    return {};
}

// All of many positions.
template <class Position>
void require_positions(const Position* positions, std::size_t count, std::size_t size, const char* what) {
    const auto is_out = [size](Position position) { return static_cast<std::size_t>(position) >= size; };
    const Position* wrong = std::find_if(positions, positions + count, is_out);
    if (wrong != positions + count) require_position(static_cast<std::size_t>(*wrong), size, what);
}

// One value per document, by number.
template <class Value, class Of>
nb::ndarray<nb::numpy, Value, nb::ndim<1>> column(const Exposures& exposures, Of of) {
    auto* held = new std::vector<Value>();
    const nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
    held->reserve(exposures.size());
    for (const auto& part : exposures.parts)
        for (const Exposure& exposure : part) held->push_back(of(exposure));
    return {held->data(), {held->size()}, owner};
}

template <auto Member>
auto member(const Exposures& exposures) {
    using Value = std::remove_cvref_t<decltype(std::declval<Exposure>().*Member)>;
    return column<Value>(exposures, [](const Exposure& exposure) { return exposure.*Member; });
}

}  // namespace

void bind_exposure(nb::module_& module) {
    nb::class_<Exposures>(module, "Exposures")
        .def("__len__", &Exposures::size)
        .def(
            "document",
            [](const Exposures& exposures, std::size_t number) {
                const nb::bytes id = bytes_of(document(exposures, number));
                exposures.check_sources();
                return id;
            },
            "number"_a)
        .def("before", &member<&Exposure::before>)
        .def("after", &member<&Exposure::after>)
        .def("queries_before", &member<&Exposure::queries_before>)
        .def("queries_after", &member<&Exposure::queries_after>)
        .def("first",
             [](const Exposures& exposures) {
                 return column<std::uint64_t>(exposures, [](const Exposure& exposure) {
                     return std::uint64_t{exposure.query} << 32 | exposure.place;
                 });
             })
        .def_ro("total_before", &Exposures::before)
        .def_ro("total_after", &Exposures::after)
        .def_ro("repeats", &Exposures::repeats);

    module.def(
        "expose",
        [](const Pairing& pairing, const Column<double>& worth, const std::optional<Column<double>>& weights,
           const Options& options, Progress& progress) {
            if (weights) require_size(weights->size(), pairing.size(), "weights");
            const std::vector<double> by_rank = vector_of(worth);
            const double* by_query = weights ? weights->data() : nullptr;
            const nb::gil_scoped_release release;
            return expose(pairing, by_rank, by_query, options, progress);
        },
        nb::keep_alive<0, 1>(), "pairing"_a, "worth"_a.noconvert(), "weights"_a.noconvert().none(), "options"_a,
        "progress"_a);
    module.def(
        "write_exposures",
        [](const Exposures& exposures, std::vector<std::string> columns, std::vector<std::string> statuses,
           const Column<double>& change, const Column<std::uint8_t>& status, const Column<std::int64_t>& order,
           const std::vector<std::optional<nb::bytes>>& titles, RowFormat format, bool spreadsheet, int threads,
           const nb::callable& sink) {
            const std::size_t size = exposures.size();
            require_threads(threads);
            require_size(columns.size(), exposure_columns, "columns");
            require_size(change.size(), size, "change");
            require_size(status.size(), size, "status");
            require_size(order.size(), size, "order");
            if (!titles.empty()) require_size(titles.size(), size, "titles");
            require_positions(order.data(), order.size(), size, "document");
            require_positions(status.data(), status.size(), statuses.size(), "status");
            ExposureRows rows{std::move(columns), std::move(statuses), change.data(), status.data(), order.data(), {}};
            for (const auto& title : titles) rows.titles.push_back(title ? view(*title) : std::string_view{});
            const nb::gil_scoped_release release;
            write_exposures(exposures, rows, {format, spreadsheet}, threads, sink_of(sink));
        },
        "exposures"_a, "columns"_a, "statuses"_a, "change"_a.noconvert(), "status"_a.noconvert(), "order"_a.noconvert(),
        "titles"_a, "format"_a, "spreadsheet"_a, "threads"_a, "sink"_a);
}
