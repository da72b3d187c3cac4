#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <utility>

#include "bindings.hpp"
#include "lists/query_table.hpp"
#include "pairs/pairing.hpp"
#include "pairs/pool.hpp"
#include "texts/delimited.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace medir;

namespace {

using Ends = Column<std::uint64_t>;
using Cells = nb::typed<nb::tuple, nb::bytes, Ends>;  // of a column, one behind the other, and where each ends
using Names = nb::typed<nb::list, nb::bytes>;

Names list_of(const std::vector<std::string>& texts) {
    Names all;
    for (const std::string& text : texts) all.append(bytes_of(text));
    return all;
}

std::vector<std::string> names_of(const Names& names) {
    std::vector<std::string> all;
    for (const nb::handle name : names) all.emplace_back(view(nb::cast<nb::bytes>(name)));
    return all;
}

std::optional<nb::str> text_or_none(std::string_view text) {
    if (text.empty()) return {};
    return nb::steal<nb::str>(
        PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

std::shared_ptr<QueryTable> column_table(std::string name, const nb::bytes& queries, const Ends& ends,
                                         const Names& names, const nb::typed<nb::list, Cells>& columns,
                                         const Ends& lines) {
    require_size(columns.size(), names.size(), "columns");
    if (lines.size() > 0) require_size(lines.size(), ends.size(), "lines");
    std::vector<Strings> cells;
    for (const nb::handle column : columns) {
        const auto [bytes, cell_ends] = nb::cast<std::pair<nb::bytes, Ends>>(column);
        require_size(cell_ends.size(), ends.size(), "a column");
        cells.push_back(strings_of(bytes, cell_ends, "the ends of a column"));
    }
    return std::make_shared<ColumnTable>(std::move(name), strings_of(queries, ends, "ends"), names_of(names),
                                         std::move(cells), vector_of(lines));
}

template <class Queries>
auto rows_of(std::size_t (Queries::*size)() const) {
    return [size](QueryRows* self, std::shared_ptr<const QueryTable> table, const Queries& queries, int threads) {
        require_threads(threads);
        const nb::gil_scoped_release release;
        new (self) QueryRows(std::move(table), queries, (queries.*size)(), threads);
    };
}

using Texts = nb::typed<nb::list, std::optional<nb::str>>;

Texts texts_of(const QueryRows& rows, std::size_t column) {
    require_position(column, rows.table().columns().size(), "column");
    Texts texts;
    std::string room;
    for (std::size_t i = 0; i < rows.size(); ++i) texts.append(text_or_none(rows.cell(i, column, room)));
    rows.table().check_source();
    return texts;
}

std::optional<nb::str> text_at(const QueryTable& table, const nb::bytes& query, std::size_t column) {
    require_position(column, table.columns().size(), "column");
    const std::uint32_t row = table.find(Padded(query).id());
    std::string room;
    auto text = text_or_none(row == ByteIndex::none ? std::string_view{} : table.cell(row, column, room));
    table.check_source();
    return text;
}

}  // namespace

void bind_queries(nb::module_& module) {
    nb::enum_<Delimiter>(module, "Delimiter").value("tab", Delimiter::tab).value("comma", Delimiter::comma);
    nb::class_<QueryTable>(module, "QueryTable")
        .def_prop_ro("columns", [](const QueryTable& table) { return list_of(table.columns()); })
        .def("__len__", &QueryTable::rows)
        .def("queries", &ids_of<QueryTable, &QueryTable::rows>)
        .def("text", &text_at, "query"_a, "column"_a);
    nb::class_<DelimitedTable, QueryTable>(module, "DelimitedTable")
        .def_prop_ro("has_header", &DelimitedTable::has_header);
    nb::class_<QueryRows>(module, "QueryRows")
        .def_prop_ro("columns", [](const QueryRows& rows) { return list_of(rows.table().columns()); })
        .def("__init__", rows_of(&Pairing::size), "table"_a, "queries"_a, "threads"_a)
        .def("__init__", rows_of(&Pool::size), "table"_a, "queries"_a, "threads"_a)
        .def("__init__", rows_of(&Lists::queries), "table"_a, "queries"_a, "threads"_a)
        .def("__len__", &QueryRows::size)
        .def_prop_ro("without_row", &QueryRows::without_row)
        .def_prop_ro("unused", &QueryRows::unused)
        .def(
            "weights",
            [](const QueryRows& rows, std::size_t column, double missing, const Array<double, 1>& values, int threads) {
                require_position(column, rows.table().columns().size(), "column");
                require_size(values.size(), rows.size(), "values");
                require_threads(threads);
                const nb::gil_scoped_release release;
                return rows.weights(column, missing, values.data(), threads);
            },
            "column"_a, "missing"_a, "values"_a.noconvert(), "threads"_a)
        .def(
            "segments",
            [](const QueryRows& rows, std::size_t column, const Array<std::int32_t, 1>& codes, int threads) {
                require_position(column, rows.table().columns().size(), "column");
                require_size(codes.size(), rows.size(), "codes");
                require_threads(threads);
                std::vector<std::string> labels;
                {
                    const nb::gil_scoped_release release;
                    labels = rows.segments(column, codes.data(), threads);
                }
                return list_of(labels);
            },
            "column"_a, "codes"_a.noconvert(), "threads"_a)
        .def("texts", &texts_of, "column"_a);

    module.def(
        "read_query_table",
        [](const nb::bytes& name, const nb::object& content, Delimiter delimiter, const Names& id_names, int threads) {
            require_threads(threads);
            require(id_names.size() > 0, "there must be a name of the id column");
            Text text = text_of(std::string(view(name)), content);
            const std::vector<std::string> ids = names_of(id_names);
            const nb::gil_scoped_release release;
            return std::make_shared<DelimitedTable>(std::move(text), delimiter, ids, threads);
        },
        "name"_a, "content"_a.none(), "delimiter"_a, "id_names"_a, "threads"_a);
    module.def("column_table", &column_table, "name"_a, "queries"_a, "ends"_a.noconvert(), "names"_a, "columns"_a,
               "lines"_a.noconvert());
}
