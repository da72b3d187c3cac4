#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bindings.hpp"
#include "lists/lengths.hpp"
#include "texts/delimited_lists.hpp"
#include "texts/json_lists.hpp"
#include "texts/marco.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace medir;

namespace {

using Position = std::optional<std::size_t>;

std::shared_ptr<TextLists> read_delimited(const nb::bytes& name, const nb::object& content, Delimiter delimiter,
                                          Position query, std::size_t document, Position number, Position intent,
                                          std::optional<Values> values, Order order, Labels labels, int threads) {
    require_threads(threads);
    require(number.has_value() == values.has_value(), "there must be a column of numbers, or none");
    Text text = text_of(std::string(view(name)), content);
    const nb::gil_scoped_release release;
    return std::make_shared<DelimitedLists>(std::move(text), delimiter, ListColumns{query, document, number, intent},
                                            values, order, threads, std::move(labels));
}

std::shared_ptr<TextLists> read_json_lines(const nb::bytes& name, const nb::object& content, const nb::bytes& query,
                                           const nb::bytes& document, const nb::bytes& number, const nb::bytes& intent,
                                           bool lists, std::optional<Values> values, Order order, int threads) {
    require_threads(threads);
    require((number.size() > 0) == values.has_value(), "there must be a field of numbers, or none");
    Text text = text_of(std::string(view(name)), content);
    JsonFields fields{std::string(view(query)), std::string(view(document)), std::string(view(number)),
                      std::string(view(intent))};
    const nb::gil_scoped_release release;
    return std::make_shared<JsonLines>(std::move(text), std::move(fields), lists, values, order, threads);
}

}  // namespace

void bind_text_lists(nb::module_& module) {
    nb::class_<TextLists, Lists>(module, "TextLists").def_prop_ro("rows", &TextLists::rows);
    nb::class_<MarcoRun, Lists>(module, "MarcoRun");
    module.def(
        "read_marco",
        [](const nb::bytes& name, const nb::object& content, int columns, Order order, int threads) {
            require_threads(threads);
            require(columns == 3 || columns == 4, "there must be 3 or 4 columns");
            Text text = text_of(std::string(view(name)), content);
            const nb::gil_scoped_release release;
            return std::make_shared<MarcoRun>(std::move(text), columns, order, threads);
        },
        "name"_a, "content"_a.none(), "columns"_a, "order"_a, "threads"_a);
    module.def("read_delimited", &read_delimited, "name"_a, "content"_a.none(), "delimiter"_a, "query"_a.none(),
               "document"_a, "number"_a.none(), "intent"_a.none(), "values"_a.none(), "order"_a, "labels"_a,
               "threads"_a);
    module.def("read_json_lines", &read_json_lines, "name"_a, "content"_a.none(), "query"_a, "document"_a, "number"_a,
               "intent"_a, "lists"_a, "values"_a.none(), "order"_a, "threads"_a);
    module.def(
        "table_lengths",
        [](std::string name, std::shared_ptr<const TextLists> lists, double fallback) {
            require(lists->queries() == 1, "the documents must be in one list");
            return std::make_shared<Lengths>(std::move(name), std::move(lists), fallback);
        },
        "name"_a, "lists"_a, "fallback"_a);
    module.def(
        "read_json_run",
        [](const nb::bytes& name, const nb::object& content, Order order) -> std::shared_ptr<TextLists> {
            Text text = text_of(std::string(view(name)), content);
            const nb::gil_scoped_release release;
            return std::make_shared<JsonDocument>(std::move(text), order);
        },
        "name"_a, "content"_a.none(), "order"_a);
}
