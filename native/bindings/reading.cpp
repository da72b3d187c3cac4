#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "drivers/checking.hpp"
#include "lists/clusters.hpp"
#include "lists/columns.hpp"
#include "lists/lengths.hpp"
#include "pairs/unseen.hpp"
#include "texts/trec.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace medir;

namespace {

using Ends = Column<std::uint64_t>;

nb::list entries_of(const Lists& lists, std::size_t query) {
    require_position(query, lists.queries(), "query");
    std::vector<Entry> entries;
    lists.read(query, entries);
    nb::list result;
    for (const Entry& entry : entries) result.append(nb::make_tuple(bytes_of(entry.document()), entry.value));
    lists.check_source();
    return result;
}

}  // namespace

void bind_reading(nb::module_& module) {
    nb::enum_<Order>(module, "Order")
        .value("score", Order::score)
        .value("rank", Order::rank)
        .value("file", Order::file);

    nb::enum_<Repeats>(module, "Repeats").value("error", Repeats::error).value("first", Repeats::first);
    nb::class_<ListLengths>(module, "ListLengths")
        .def(
            "__init__",
            [](ListLengths* self, const std::vector<std::size_t>& lengths, const std::vector<std::size_t>& lists) {
                require_size(lists.size(), lengths.size(), "numbers of lists");
                new (self) ListLengths();
                for (std::size_t i = 0; i < lengths.size(); ++i)
                    if (lengths[i] > 0 && lists[i] > 0) self->add({lengths[i], lists[i], lists[i], lengths[i], 0});
            },
            "lengths"_a, "lists"_a)
        .def(
            "add", [](ListLengths& self, const ListLengths& part) { self.add(part); }, "part"_a)
        .def_ro("longest", &ListLengths::longest)
        .def_ro("at_longest", &ListLengths::at_longest)
        .def_ro("shortest", &ListLengths::shortest)
        .def_ro("with_results", &ListLengths::with_results)
        .def_ro("asked", &ListLengths::asked)
        .def_prop_ro("cut", &ListLengths::cut);
    nb::class_<Lists>(module, "Lists")
        .def_prop_ro("longest", &Lists::longest)
        .def(
            "lengths",
            [](const Lists& lists, Repeats repeats, int threads) {
                require_threads(threads);
                const nb::gil_scoped_release release;
                return list_lengths(lists, repeats, threads);
            },
            "repeats"_a, "threads"_a)
        .def("__len__", &Lists::queries)
        .def(
            "find", [](const Lists& lists, const nb::bytes& id) { return lists.find(Padded(id).id()); }, "query"_a)
        .def("queries", &ids_of<Lists, &Lists::queries>)
        .def("entries", &entries_of, "query"_a)
        .def_prop_ro("has_numbers", &Lists::has_numbers)
        .def("set_asked", &Lists::set_asked, "results"_a)
        .def(
            "check",
            [](const Lists& lists, int threads) {
                require_threads(threads);
                const nb::gil_scoped_release release;
                check(lists, threads);
            },
            "threads"_a)
        .def(
            "digest",
            [](const Lists& lists, Intents intents, int threads) {
                require_threads(threads);
                const nb::gil_scoped_release release;
                return digest(lists, intents, threads);
            },
            "intents"_a, "threads"_a);
    nb::class_<TrecRun, Lists>(module, "TrecRun").def_prop_ro("long_lines", &TrecRun::long_lines);
    nb::class_<TrecQrels, Lists>(module, "TrecQrels");
    nb::class_<GradedLists, Lists>(module, "GradedLists");
    nb::class_<ColumnLists, Lists>(module, "ColumnLists")
        .def(
            "__init__",
            [](ColumnLists* self, std::string name, const nb::bytes& queries, const Ends& query_ends,
               const Ends& list_ends, const nb::bytes& documents, const Ends& document_ends, const nb::bytes& intents,
               const Ends& intent_ends, const Column<double>& values, Order order) {
                require_size(list_ends.size(), query_ends.size(), "list_ends");
                require_ends(list_ends, document_ends.size(), "list_ends");
                require_size(values.size(), document_ends.size(), "values");
                if (intent_ends.size() > 0) require_size(intent_ends.size(), document_ends.size(), "intent_ends");
                new (self) ColumnLists(std::move(name), strings_of(queries, query_ends, "query_ends"),
                                       vector_of(list_ends), strings_of(documents, document_ends, "document_ends"),
                                       strings_of(intents, intent_ends, "intent_ends"), vector_of(values), order);
            },
            "name"_a, "queries"_a, "query_ends"_a.noconvert(), "list_ends"_a.noconvert(), "documents"_a,
            "document_ends"_a.noconvert(), "intents"_a, "intent_ends"_a.noconvert(), "values"_a.noconvert(), "order"_a);

    // Another number in every process; for tests.
    module.def("hash_id", [](const nb::bytes& id) { return hash_bytes(Padded(id).id()); }, "id"_a);

    nb::class_<Clusters>(module, "Clusters")
        .def(
            "__init__",
            [](Clusters* self, std::string name, std::shared_ptr<const Lists> lists) {
                const nb::gil_scoped_release release;
                new (self) Clusters(std::move(name), std::move(lists));
            },
            "name"_a, "lists"_a)
        .def("__len__", &Clusters::size)
        .def_prop_ro("documents", &Clusters::documents)
        .def_prop_ro("largest", &Clusters::largest)
        .def_prop_ro("digest", &Clusters::digest)
        .def(
            "key",
            [](const Clusters& clusters, const nb::bytes& document) {
                const Text padded = Text::copy("", view(document));
                const Entry entry{padded.begin(), 0, static_cast<std::uint32_t>(padded.size()),
                                  hash_bytes(padded.begin(), padded.size())};
                const nb::bytes key = bytes_of(clusters.key(entry).document());
                clusters.check_source();
                return key;
            },
            "document"_a)
        .def("members", [](const Clusters& clusters) {
            nb::list rows;
            for (const Entry& entry : clusters.entries())
                rows.append(nb::make_tuple(bytes_of(entry.document()), static_cast<std::uint32_t>(entry.value)));
            clusters.check_source();
            return rows;
        });
    module.def(
        "read_clusters",
        [](const nb::bytes& name, const nb::object& content) {
            Text text = text_of(std::string(view(name)), content);
            const nb::gil_scoped_release release;
            return std::make_shared<Clusters>(std::move(text));
        },
        "name"_a, "content"_a.none());
    nb::class_<Lengths>(module, "Lengths")
        .def("__len__", &Lengths::size)
        .def_prop_ro("uneven_clusters", &Lengths::uneven_clusters)
        .def(
            "of_clusters",
            [](std::shared_ptr<const Lengths> lengths, std::shared_ptr<const Clusters> clusters) {
                const nb::gil_scoped_release release;
                return std::make_shared<Lengths>(std::move(lengths), std::move(clusters));
            },
            "clusters"_a)
        .def_prop_ro("digest", &Lengths::digest)
        .def(
            "find",
            [](const Lengths& lengths, const nb::bytes& document) {
                const Padded padded(document);
                const std::string_view id = padded.id();
                return lengths.find({id.data(), 0, static_cast<std::uint32_t>(id.size()), hash_bytes(id)});
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
        [](std::string name, const nb::bytes& documents, const Ends& ends, const Column<double>& words,
           double fallback) {
            require_ends(ends, documents.size(), "ends");
            require_size(words.size(), ends.size(), "words");
            return std::make_shared<Lengths>(Text::copy(std::move(name), view(documents)), vector_of(ends),
                                             vector_of(words), fallback);
        },
        "name"_a, "documents"_a, "ends"_a.noconvert(), "words"_a.noconvert(), "fallback"_a);

    module.def(
        "read_run",
        [](const nb::bytes& name, const nb::object& content, Order order, int threads) {
            require_threads(threads);
            auto blocks = blocks_of(std::string(view(name)), content);
            const nb::gil_scoped_release release;
            return std::make_shared<TrecRun>(std::move(blocks), order, threads);
        },
        "name"_a, "content"_a.none(), "order"_a, "threads"_a);
    module.def(
        "read_ahead",
        [](const std::vector<nb::bytes>& names, bool compared) {
            std::vector<std::string> paths;
            for (const nb::bytes& name : names) paths.emplace_back(view(name));
            const nb::gil_scoped_release release;
            ReadAhead::begin(std::move(paths), compared);
        },
        "names"_a, "compared"_a = false);
    module.def("forget_ahead", &ReadAhead::forget, nb::call_guard<nb::gil_scoped_release>());
    module.def(
        "read_qrels",
        [](const nb::bytes& name, const nb::object& content, int threads) {
            require_threads(threads);
            Text text = text_of(std::string(view(name)), content);
            const nb::gil_scoped_release release;
            return std::make_shared<TrecQrels>(std::move(text), threads);
        },
        "name"_a, "content"_a.none(), "threads"_a);
    nb::enum_<Intents>(module, "Intents").value("ignored", Intents::ignored).value("kept", Intents::kept);
    nb::class_<Judgments>(module, "Judgments")
        .def_prop_ro("lists",
                     [](const Judgments& judgments) { return std::const_pointer_cast<Lists>(judgments.lists); })
        .def_ro("highest", &Judgments::highest)
        .def_ro("shares", &Judgments::shares);
    module.def(
        "check_judgments",
        [](std::shared_ptr<const Lists> qrels, std::vector<std::pair<double, int>> levels, int max_grade,
           std::string remedy, Intents intents, int threads) {
            require_threads(threads);
            const Grading grading{std::move(levels), max_grade, std::move(remedy)};
            const nb::gil_scoped_release release;
            return check_judgments(std::move(qrels), grading, intents, threads);
        },
        "qrels"_a, "levels"_a, "max_grade"_a, "remedy"_a, "intents"_a, "threads"_a);
    module.def(
        "count_disagreements",
        [](const Lists& qrels, std::shared_ptr<const Clusters> clusters, Intents intents, int threads) {
            require_threads(threads);
            const nb::gil_scoped_release release;
            return count_disagreements(qrels, std::move(clusters), intents, threads);
        },
        "qrels"_a, "clusters"_a, "intents"_a, "threads"_a);
    module.def(
        "refuse_grades_above", [](const Lists& qrels, int limit) { throw grade_error(qrels, limit); }, "qrels"_a,
        "limit"_a);
}
