#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "drivers/checking.hpp"
#include "lists/columns.hpp"
#include "lists/lengths.hpp"
#include "lists/trec.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace medir;

namespace {

using Ends = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::vector<std::uint64_t> vector_of(const Ends& array) { return {array.data(), array.data() + array.size()}; }

std::string_view view(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

// A path is mapped; bytes that were read or decompressed are copied.
Text text_of(const std::string& name, const nb::object& content) {
    if (content.is_none()) {
        const nb::gil_scoped_release release;
        return Text::map(name);
    }
    return Text::copy(name, view(nb::cast<nb::bytes>(content)));
}

template <class Kind, class... Options>
std::shared_ptr<Kind> read_trec(const std::string& name, const nb::object& content, int threads, Options... options) {
    Text text = text_of(name, content);
    const nb::gil_scoped_release release;
    return std::make_shared<Kind>(std::move(text), options..., threads);
}

nb::list entries_of(const Lists& lists, std::size_t query) {
    std::vector<Entry> entries;
    lists.read(query, entries);
    nb::list result;
    for (const Entry& entry : entries) result.append(nb::make_tuple(nb::bytes(entry.data, entry.size), entry.value));
    return result;
}

}  // namespace

void bind_reading(nb::module_& module) {
    nb::enum_<Order>(module, "Order")
        .value("score", Order::score)
        .value("rank", Order::rank)
        .value("file", Order::file);

    nb::class_<Lists>(module, "Lists")
        .def_prop_ro("longest", &Lists::longest)
        .def("__len__", &Lists::queries)
        .def(
            "find", [](const Lists& lists, const nb::bytes& id) { return lists.find(view(id)); }, "query"_a)
        .def("queries", &ids_of<Lists, &Lists::queries>)
        .def("entries", &entries_of, "query"_a)
        .def("digest", &digest, "intents"_a, "threads"_a, nb::call_guard<nb::gil_scoped_release>());
    nb::class_<TrecRun, Lists>(module, "TrecRun")
        .def("check", &TrecRun::check, "threads"_a, nb::call_guard<nb::gil_scoped_release>());
    nb::class_<TrecQrels, Lists>(module, "TrecQrels")
        .def(
            "refuse_grades_above", [](const TrecQrels& qrels, int limit) { throw qrels.grade_error(limit); },
            "limit"_a);
    nb::class_<ColumnLists, Lists>(module, "ColumnLists")
        .def(
            "__init__",
            [](ColumnLists* self, std::string name, const nb::bytes& queries, const Ends& query_ends,
               const Ends& list_ends, const nb::bytes& documents, const Ends& document_ends, const nb::bytes& intents,
               const Ends& intent_ends, const Values& values, Order order) {
                new (self) ColumnLists(std::move(name), Strings(view(queries), vector_of(query_ends)),
                                       vector_of(list_ends), Strings(view(documents), vector_of(document_ends)),
                                       Strings(view(intents), vector_of(intent_ends)),
                                       {values.data(), values.data() + values.size()}, order);
            },
            "name"_a, "queries"_a, "query_ends"_a.noconvert(), "list_ends"_a.noconvert(), "documents"_a,
            "document_ends"_a.noconvert(), "intents"_a, "intent_ends"_a.noconvert(), "values"_a.noconvert(), "order"_a);

    nb::class_<Lengths>(module, "Lengths")
        .def("__len__", &Lengths::size)
        .def_prop_ro("digest", &Lengths::digest)
        .def(
            "find",
            [](const Lengths& lengths, const nb::bytes& document) {
                const Text padded = Text::copy("", view(document));
                return lengths.find({padded.begin(), 0, static_cast<std::uint32_t>(padded.size()),
                                     hash_bytes(padded.begin(), padded.size())});
            },
            "document"_a);
    module.def(
        "read_lengths",
        [](const nb::bytes& name, const nb::object& content, double fallback) {
            Text text = text_of(std::string(view(name)), content);
            const nb::gil_scoped_release release;
            return std::make_shared<Lengths>(std::move(text), fallback);
        },
        "name"_a, "content"_a.none(), "fallback"_a);
    module.def(
        "column_lengths",
        [](std::string name, const nb::bytes& documents, const Ends& ends, const Values& words, double fallback) {
            return std::make_shared<Lengths>(Text::copy(std::move(name), view(documents)), vector_of(ends),
                                             std::vector<double>(words.data(), words.data() + words.size()), fallback);
        },
        "name"_a, "documents"_a, "ends"_a.noconvert(), "words"_a.noconvert(), "fallback"_a);

    module.def(
        "read_run",
        [](const nb::bytes& name, const nb::object& content, Order order, int threads) {
            return read_trec<TrecRun>(std::string(view(name)), content, threads, order);
        },
        "name"_a, "content"_a.none(), "order"_a, "threads"_a);
    module.def(
        "read_qrels",
        [](const nb::bytes& name, const nb::object& content, int threads) {
            return read_trec<TrecQrels>(std::string(view(name)), content, threads);
        },
        "name"_a, "content"_a.none(), "threads"_a);
    nb::enum_<Intents>(module, "Intents").value("ignored", Intents::ignored).value("kept", Intents::kept);
    module.def("check_judgments", &check_judgments, "qrels"_a, "intents"_a, "threads"_a,
               nb::call_guard<nb::gil_scoped_release>());
}
