#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/arrow_columns.hpp"
#include "bindings.hpp"
#include "drivers/exposure.hpp"
#include "lists/query_table.hpp"
#include "pairs/pairing.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace medir;

namespace {

constexpr const char* capsule_name = "arrow_array_stream";

// Its reader has taken the stream away, or it is released here.
void release_capsule(PyObject* capsule) {
    const std::unique_ptr<ArrowArrayStream> stream(
        static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule, capsule_name)));
    if (stream && stream->release != nullptr) stream->release(stream.get());
}

nb::object stream_of(const std::vector<ArrowBatch>& batches) {
    auto stream = std::make_unique<ArrowArrayStream>();
    export_stream(batches, stream.get());
    PyObject* capsule = PyCapsule_New(stream.get(), capsule_name, release_capsule);
    if (capsule == nullptr) {
        stream->release(stream.get());
        throw nb::python_error();
    }
    static_cast<void>(stream.release());
    return nb::steal(capsule);
}

const bool* data_of(const ArrowBatch& batch, const std::optional<Column<bool>>& missing) {
    if (!missing) return nullptr;
    require_size(missing->size(), batch.rows(), "missing");
    return missing->data();
}

// The texts of queries from the first on, each in as many rows as there are measures.
template <class Text>
void add_by_query(ArrowBatch& batch, std::string name, std::size_t queries, std::size_t first, std::size_t times,
                  Text text) {
    require(times > 0 && batch.rows() % times == 0, "a query must have as many rows as any other");
    const std::size_t count = batch.rows() / times;
    require(first <= queries && count <= queries - first, "there are not so many queries");
    const nb::gil_scoped_release release;
    ArrowTexts texts(std::move(name));
    for (std::size_t query = first; query < first + count; ++query) texts.add(text(query), times);
    batch.add(std::move(texts).take());
}

void add_documents(ArrowBatch& batch, std::string name, const Exposures& exposures, const Column<std::int64_t>& order) {
    std::vector<std::size_t> ends;
    for (const auto& part : exposures.parts) ends.push_back((ends.empty() ? 0 : ends.back()) + part.size());
    ArrowTexts texts(std::move(name));
    for (std::size_t row = 0; row < order.size(); ++row) {
        const auto number = static_cast<std::size_t>(order(row));
        require_position(number, exposures.size(), "document");
        const auto part = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), number) - ends.begin());
        texts.add(exposures.parts[part][number - (part == 0 ? 0 : ends[part - 1])].document());
    }
    exposures.check_sources();
    batch.add(std::move(texts).take());
}

}  // namespace

void bind_batches(nb::module_& module) {
    nb::class_<ArrowBatch>(module, "ArrowBatch")
        .def(nb::init<std::size_t>(), "rows"_a)
        .def("__len__", &ArrowBatch::rows)
        .def(
            "add_floats",
            [](ArrowBatch& batch, std::string name, const Column<double>& values) {
                batch.add(arrow_floats(std::move(name), values.data(), values.size()));
            },
            "name"_a, "values"_a.noconvert())
        .def(
            "add_integers",
            [](ArrowBatch& batch, std::string name, const Column<std::int64_t>& values,
               const std::optional<Column<bool>>& missing) {
                require_size(values.size(), batch.rows(), "values");
                batch.add(arrow_integers(std::move(name), values.data(), data_of(batch, missing), values.size()));
            },
            "name"_a, "values"_a.noconvert(), "missing"_a.noconvert() = nb::none())
        .def(
            "add_flags",
            [](ArrowBatch& batch, std::string name, const Column<bool>& values,
               const std::optional<Column<bool>>& missing) {
                require_size(values.size(), batch.rows(), "values");
                batch.add(arrow_flags(std::move(name), values.data(), data_of(batch, missing), values.size()));
            },
            "name"_a, "values"_a.noconvert(), "missing"_a.noconvert() = nb::none())
        .def(
            "add_texts",
            [](ArrowBatch& batch, std::string name, const std::vector<std::optional<nb::bytes>>& values) {
                ArrowTexts texts(std::move(name));
                for (const auto& value : values)
                    texts.add(value ? std::optional(view(*value)) : std::optional<std::string_view>());
                batch.add(std::move(texts).take());
            },
            "name"_a, "values"_a)
        .def(
            "add_codes",
            [](ArrowBatch& batch, std::string name, const Column<std::int32_t>& values,
               const std::vector<nb::bytes>& labels) {
                const std::vector<std::string_view> texts = [&] {
                    std::vector<std::string_view> all;
                    for (const nb::bytes& label : labels) all.push_back(view(label));
                    return all;
                }();
                batch.add(arrow_codes(std::move(name), values.data(), values.size(), texts));
            },
            "name"_a, "values"_a.noconvert(), "labels"_a)
        .def(
            "add_queries",
            [](ArrowBatch& batch, std::string name, const Pairing& pairing, std::size_t first, std::size_t times) {
                add_by_query(batch, std::move(name), pairing.size(), first, times,
                             [&](std::size_t query) { return std::optional(pairing.query(query)); });
                pairing.check_sources();
            },
            "name"_a, "pairing"_a, "first"_a, "times"_a)
        .def(
            "add_cells",
            [](ArrowBatch& batch, std::string name, const QueryRows& rows, std::size_t column, std::size_t first,
               std::size_t times) {
                require_position(column, rows.table().columns().size(), "column");
                std::string room;
                add_by_query(batch, std::move(name), rows.size(), first, times, [&](std::size_t query) {
                    const std::string_view cell = rows.cell(query, column, room);
                    return cell.empty() ? std::nullopt : std::optional(cell);
                });
                rows.table().check_source();
            },
            "name"_a, "rows"_a, "column"_a, "first"_a, "times"_a)
        .def("add_documents", &add_documents, "name"_a, "exposures"_a, "order"_a.noconvert());
    module.def("arrow_stream", &stream_of, "batches"_a);
}
