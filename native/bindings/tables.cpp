#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <optional>

#include "bindings.hpp"
#include "lists/numbered_texts.hpp"
#include "tables/array_lists.hpp"
#include "tables/packed_ranges.hpp"
#include "tables/table_lists.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace medir;

namespace {

template <class Struct>
Struct& capsule_of(const nb::object& capsule, const char* name) {
    void* const found = PyCapsule_GetPointer(capsule.ptr(), name);
    if (found == nullptr) throw nb::python_error();
    return *static_cast<Struct*>(found);
}

template <class Value>
nb::ndarray<nb::numpy, Value, nb::ndim<1>> array_of(std::vector<Value> values) {
    auto* held = new std::vector<Value>(std::move(values));
    const nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
    return {held->data(), {held->size()}, owner};
}

// The cells of a column as text, one behind the other, and where each ends; a null is empty.
nb::tuple strings(const ArrowTable& table, std::size_t column) {
    require_position(column, table.columns(), "column");
    const ArrowType& type = table.type(column);
    table.require(column, type.is_id() || type.is_number() || type.kind == ColumnKind::nothing, "text or numbers were");
    std::string bytes;
    std::vector<std::uint64_t> ends;
    ends.reserve(table.rows());
    for (std::size_t b = 0; b < table.batches(); ++b) {
        const ArrowColumn part = table.part(column, b);
        const bool is_id = part.type().is_id();
        for (std::size_t row = 0; row < part.size(); ++row) {
            if (!part.is_null(row)) {
                if (is_id)
                    bytes += part.id(row);
                else if (part.type().kind == ColumnKind::boolean)
                    bytes += part.number(row) != 0 ? "true" : "false";
                else
                    bytes += Number().text(part.number(row));
            }
            ends.push_back(bytes.size());
        }
    }
    return nb::make_tuple(bytes_of(bytes), array_of(std::move(ends)));
}

// A column as numbers; NaN for a null.
nb::ndarray<nb::numpy, double, nb::ndim<1>> numbers(const ArrowTable& table, std::size_t column) {
    require_position(column, table.columns(), "column");
    const ArrowType& type = table.type(column);
    table.require(column, type.is_number() || type.kind == ColumnKind::nothing, "numbers were");
    std::vector<double> values;
    values.reserve(table.rows());
    for (std::size_t b = 0; b < table.batches(); ++b) {
        const ArrowColumn part = table.part(column, b);
        for (std::size_t row = 0; row < part.size(); ++row)
            values.push_back(part.is_null(row) ? std::numeric_limits<double>::quiet_NaN() : part.number(row));
    }
    return array_of(std::move(values));
}

// The ids of a column in the order in which they appear, and which of them each row has.
nb::tuple codes(const ArrowTable& table, std::size_t column) {
    require_position(column, table.columns(), "column");
    table.require(column, table.type(column).is_id(), "text or whole numbers were");
    std::vector<std::int64_t> codes;
    NumberedTexts known;
    std::string padded;
    for (std::size_t b = 0; b < table.batches(); ++b) {
        const ArrowColumn part = table.part(column, b);
        for (std::size_t row = 0; row < part.size(); ++row) {
            if (row > 0 && part.same_id(row, row - 1)) {
                codes.push_back(codes.back());
                continue;
            }
            const std::string id = part.id(row);
            padded.assign(id).append(8, '\0');
            codes.push_back(known.number({padded.data(), id.size()}));
        }
    }
    nb::list ids;
    for (const std::string& id : std::move(known).texts()) ids.append(bytes_of(id));
    return nb::make_tuple(array_of(std::move(codes)), ids);
}

// The first row, from 0, of which a column has no value; None where all have one.
std::optional<std::size_t> first_null(const ArrowTable& table, std::size_t column) {
    require_position(column, table.columns(), "column");
    for (std::size_t b = 0; b < table.batches(); ++b) {
        const ArrowColumn part = table.part(column, b);
        const std::size_t row = part.first_null(0, part.size());
        if (row < part.size()) return table.rows_before(b) + row;
    }
    return std::nullopt;
}

// Whether the ids of a column fall anywhere: whole numbers by their values, texts byte by byte. A null is an error.
bool falls(const ArrowTable& table, std::size_t column) {
    require_position(column, table.columns(), "column");
    table.require(column, table.type(column).is_id(), "text or whole numbers were");
    const nb::gil_scoped_release release;
    std::optional<Entry> last;
    std::vector<ArrowColumn> parts;
    for (std::size_t b = 0; b < table.batches(); ++b) {
        const ArrowColumn& part = parts.emplace_back(table.part(column, b));
        const std::size_t null = part.first_null(0, part.size());
        if (null < part.size()) throw table.null_error(table.rows_before(b) + null, column);
        for (std::size_t row = 0; row < part.size(); ++row) {
            if (row > 0 && part.same_id(row, row - 1)) continue;
            const Entry id = part.entry(row, 0);
            if (last && (id.is_number() ? id.number() < last->number() : id.bytes() < last->bytes())) return true;
            last = id;
        }
    }
    return false;
}

void require_columns(const ArrowTable& table, const TableColumns& columns) {
    for (const auto column :
         {std::optional(columns.query), std::optional(columns.document), columns.value, columns.intent})
        if (column) require_position(*column, table.columns(), "column");
}

// Of a table that begins a longer one, of which `streams` brings the rest.
std::shared_ptr<TableLists> packed_lists(std::shared_ptr<ArrowTable> table, nb::typed<nb::iterator, nb::object> streams,
                                         std::size_t query, std::size_t document, std::optional<std::size_t> value,
                                         std::optional<std::size_t> intent, Values values, Order order, int threads) {
    require_threads(threads);
    const TableColumns columns{query, document, value, intent};
    require_columns(*table, columns);
    const auto next = [&](ArrowTable& whole) {
        const nb::gil_scoped_acquire acquire;
        const nb::object stream = nb::steal(PyIter_Next(streams.ptr()));
        if (!stream.is_valid()) {
            if (PyErr_Occurred() != nullptr) throw nb::python_error();
            return false;
        }
        whole.add(capsule_of<ArrowArrayStream>(stream, "arrow_array_stream"));
        return true;
    };
    const nb::gil_scoped_release release;
    return std::make_shared<TableLists>(std::move(table), next, columns, values, order, threads);
}

// All that was packed, range by range, and where each range ends.
nb::tuple take(PackedRanges& ranges) {
    const nb::bytes bytes =
        nb::steal<nb::bytes>(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(ranges.size())));
    if (!bytes.is_valid()) throw nb::python_error();
    std::vector<std::uint64_t> ends;
    {
        const nb::gil_scoped_release release;
        ends = ranges.take(const_cast<char*>(static_cast<const char*>(bytes.data())));
    }
    return nb::make_tuple(bytes, array_of(std::move(ends)));
}

using Queries = nb::typed<nb::tuple, nb::bytes, Column<std::uint64_t>>;  // one behind the other, and where each ends

// The ids of rows that have none: 0, 1, ...
Strings row_numbers(std::size_t rows) {
    std::string digits;
    std::vector<std::uint64_t> ends;
    ends.reserve(rows);
    for (std::size_t row = 0; row < rows; ++row) {
        digits += std::to_string(row);
        ends.push_back(digits.size());
    }
    return {digits, std::move(ends)};
}

using Neighbours = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;

ArrayView view_of(Neighbours array) {
    const nb::dlpack::dtype type = array.dtype();
    const auto code = static_cast<nb::dlpack::dtype_code>(type.code);
    const bool is_unsigned = code == nb::dlpack::dtype_code::UInt;
    require((code == nb::dlpack::dtype_code::Int || is_unsigned) && type.lanes == 1, "the array must hold integers");
    require(array.shape(1) == 0 || array.stride(1) == 1, "the numbers of a row must stand side by side");
    int power = 0;
    while ((8 << power) < type.bits) ++power;
    ArrayView view{static_cast<const char*>(array.data()),
                   array.shape(0),
                   array.shape(1),
                   array.stride(0) * (type.bits / 8),
                   static_cast<NumberKind>(2 * power + (is_unsigned ? 1 : 0)),
                   {}};
    view.owner = std::make_shared<Neighbours>(std::move(array));
    return view;
}

}  // namespace

void bind_tables(nb::module_& module) {
    nb::enum_<Values>(module, "Values")
        .value("scores", Values::scores)
        .value("ranks", Values::ranks)
        .value("grades", Values::grades)
        .value("words", Values::words);
    nb::class_<ArrowTable>(module, "ArrowTable")
        .def(
            "__init__",
            [](ArrowTable* self, std::string name, const nb::object& stream) {
                auto& source = capsule_of<ArrowArrayStream>(stream, "arrow_array_stream");
                const nb::gil_scoped_release release;
                new (self) ArrowTable(std::move(name), source);
            },
            "name"_a, "stream"_a)
        .def_static(
            "of_batch",
            [](std::string name, const nb::object& schema, const nb::object& array) {
                return std::make_shared<ArrowTable>(std::move(name), capsule_of<ArrowSchema>(schema, "arrow_schema"),
                                                    capsule_of<ArrowArray>(array, "arrow_array"));
            },
            "name"_a, "schema"_a, "array"_a)
        .def(
            "add",
            [](ArrowTable& self, const nb::object& stream) {
                auto& source = capsule_of<ArrowArrayStream>(stream, "arrow_array_stream");
                const nb::gil_scoped_release release;
                self.add(source);
            },
            "stream"_a)
        .def("__len__", &ArrowTable::rows)
        .def_prop_ro("columns",
                     [](const ArrowTable& table) {
                         std::vector<std::string> names;
                         for (std::size_t i = 0; i < table.columns(); ++i) names.push_back(table.column_name(i));
                         return names;
                     })
        .def_prop_ro("types",
                     [](const ArrowTable& table) {
                         std::vector<std::string> names;
                         for (std::size_t i = 0; i < table.columns(); ++i) names.push_back(table.type(i).name);
                         return names;
                     })
        .def("strings", &strings, "column"_a)
        .def("numbers", &numbers, "column"_a)
        .def("codes", &codes, "column"_a)
        .def("first_null", &first_null, "column"_a)
        .def("falls", &falls, "column"_a);

    nb::class_<TableLists, Lists>(module, "TableLists")
        .def(
            "__init__",
            [](TableLists* self, std::shared_ptr<const ArrowTable> table, std::size_t query, std::size_t document,
               std::optional<std::size_t> value, std::optional<std::size_t> intent, Values values, Order order,
               int threads) {
                require_threads(threads);
                const TableColumns columns{query, document, value, intent};
                require_columns(*table, columns);
                const nb::gil_scoped_release release;
                new (self) TableLists(std::move(table), columns, values, order, threads);
            },
            "table"_a, "query"_a, "document"_a, "value"_a.none(), "intent"_a.none(), "values"_a, "order"_a, "threads"_a)
        .def_static("packed", &packed_lists, "table"_a, "streams"_a, "query"_a, "document"_a, "value"_a.none(),
                    "intent"_a.none(), "values"_a, "order"_a, "threads"_a)
        .def_static(
            "unpacked",
            [](std::shared_ptr<const ArrowTable> table, std::shared_ptr<const PackedBytes> rows, std::size_t query,
               std::size_t document, std::optional<std::size_t> value, Values values, Order order) {
                const TableColumns columns{query, document, value, std::nullopt};
                require_columns(*table, columns);
                const nb::gil_scoped_release release;
                return std::make_shared<TableLists>(std::move(table), std::move(rows), columns, values, order);
            },
            "table"_a, "rows"_a, "query"_a, "document"_a, "value"_a.none(), "values"_a, "order"_a);

    nb::class_<PackedBytes>(module, "PackedBytes")
        .def(nb::init<std::size_t>(), "size"_a)
        .def_prop_ro("bytes", [](PackedBytes& self) {
            return nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>(self.data(), {self.size()}, nb::find(self));
        });

    nb::class_<PackedRanges>(module, "PackedRanges")
        .def(
            "__init__",
            [](PackedRanges* self, std::shared_ptr<ArrowTable> table, std::size_t query, std::size_t document,
               std::optional<std::size_t> value, Values values, const Queries& bounds) {
                const TableColumns columns{query, document, value, std::nullopt};
                require_columns(*table, columns);
                Strings first_queries =
                    strings_of(nb::cast<nb::bytes>(bounds[0]), nb::cast<Column<std::uint64_t>>(bounds[1]), "bounds");
                const nb::gil_scoped_release release;
                new (self) PackedRanges(std::move(table), columns, values, std::move(first_queries));
            },
            "table"_a, "query"_a, "document"_a, "value"_a.none(), "values"_a, "bounds"_a)
        .def(
            "add",
            [](PackedRanges& self, const nb::object& stream) {
                auto& source = capsule_of<ArrowArrayStream>(stream, "arrow_array_stream");
                const nb::gil_scoped_release release;
                self.add(source);
            },
            "stream"_a)
        .def_prop_ro("size", &PackedRanges::size)
        .def("take", &take);

    nb::class_<ArrayLists, Lists>(module, "ArrayLists")
        .def(
            "__init__",
            [](ArrayLists* self, std::string name, const std::optional<Queries>& queries, Neighbours array,
               std::int64_t pad, int threads) {
                require_threads(threads);
                Strings ids = queries ? strings_of(nb::cast<nb::bytes>((*queries)[0]),
                                                   nb::cast<Column<std::uint64_t>>((*queries)[1]), "queries")
                                      : row_numbers(array.shape(0));
                require_size(ids.size(), array.shape(0), "queries");
                new (self) ArrayLists(std::move(name), std::move(ids), view_of(std::move(array)), pad, threads);
            },
            "name"_a, "queries"_a.none(), "array"_a.noconvert(), "pad"_a, "threads"_a);
}
