#include "drivers/querying.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace medir;

namespace {

// A query as Python gets it.
struct QueryView {
    nb::list documents, documents_after, keys, intents;
    nb::object before, after, grades, grades_by_intent, repeated;
    bool before_cut, after_cut;
    nb::list differences, gain_relevance, loss_relevance;
};

template <class Value>
nb::object array_of(std::vector<Value> values, std::vector<std::size_t> shape) {
    auto* held = new std::vector<Value>(std::move(values));
    const nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, Value>(held->data(), shape.size(), shape.data(), owner));
}

template <class Value, class Of>
nb::object by_document(const Query& query, Of of) {
    std::vector<Value> values(query.documents.size());
    std::transform(query.documents.begin(), query.documents.end(), values.begin(), of);
    return array_of<Value>(std::move(values), {query.documents.size()});
}

// By document, or by intent and document for a measure of intents.
nb::object relevance_of(const Query& query, const std::vector<double>& relevance, bool by_intent) {
    const std::size_t all = query.matching.documents().size(), shown = query.documents.size();
    const std::size_t intents = all == 0 ? 1 : relevance.size() / all;
    std::vector<double> values;
    values.reserve(intents * shown);
    for (std::size_t intent = 0; intent < intents; ++intent)
        for (const std::uint32_t d : query.documents) values.push_back(relevance[intent * all + d]);
    if (!by_intent) return array_of<double>(std::move(values), {shown});
    return array_of<double>(std::move(values), {intents, shown});
}

QueryView view_of(const Query& query, const std::vector<std::shared_ptr<const Effectiveness>>& measures,
                  const Reading& reading) {
    QueryView view;
    const Matching& matching = query.matching;
    std::vector<std::int32_t> positions(matching.documents().size(), -1);
    for (const std::uint32_t d : query.documents) {
        positions[d] = static_cast<std::int32_t>(view.documents.size());
        view.documents.append(bytes_of(matching.id(d)));
        view.keys.append(bytes_of(reading.key(matching.entry(d)).document()));
        view.documents_after.append(bytes_of(matching.entry_after(d).document()));
    }
    view.repeated = by_document<std::int32_t>(
        query, [&](std::uint32_t d) { return matching.is_repeat(d) ? positions[matching.repeated(d)] : -1; });
    for (const std::string_view intent : matching.intents()) view.intents.append(bytes_of(intent));
    view.before = by_document<std::uint32_t>(query, [&](std::uint32_t d) { return matching.documents()[d].before; });
    view.after = by_document<std::uint32_t>(query, [&](std::uint32_t d) { return matching.documents()[d].after; });
    view.grades = by_document<std::int32_t>(query, [&](std::uint32_t d) { return matching.documents()[d].grade; });
    view.before_cut = matching.before_cut();
    view.after_cut = matching.after_cut();
    std::vector<std::int32_t> grades;
    for (std::size_t intent = 0; intent < matching.intents().size(); ++intent)
        for (const std::uint32_t d : query.documents) grades.push_back(matching.grade(intent, d));
    view.grades_by_intent =
        array_of<std::int32_t>(std::move(grades), {matching.intents().size(), query.documents.size()});
    for (std::size_t m = 0; m < measures.size(); ++m) {
        const auto& [row, gain, loss] = query.solutions[m];
        view.differences.append(row_of(row));
        view.gain_relevance.append(relevance_of(query, gain, measures[m]->by_intent()));
        view.loss_relevance.append(relevance_of(query, loss, measures[m]->by_intent()));
    }
    return view;
}

}  // namespace

void bind_querying(nb::module_& module) {
    nb::class_<QueryView>(module, "Query")
        .def_ro("documents", &QueryView::documents)
        .def_ro("documents_after", &QueryView::documents_after)
        .def_ro("keys", &QueryView::keys)
        .def_ro("repeated", &QueryView::repeated)
        .def_ro("before", &QueryView::before)
        .def_ro("after", &QueryView::after)
        .def_ro("before_cut", &QueryView::before_cut)
        .def_ro("after_cut", &QueryView::after_cut)
        .def_ro("grades", &QueryView::grades)
        .def_ro("intents", &QueryView::intents)
        .def_ro("grades_by_intent", &QueryView::grades_by_intent)
        .def_ro("differences", &QueryView::differences)
        .def_ro("gain_relevance", &QueryView::gain_relevance)
        .def_ro("loss_relevance", &QueryView::loss_relevance);
    module.def(
        "query",
        [](const Pairing& pairing, std::size_t position, const Lists* qrels,
           const std::vector<std::shared_ptr<const Measure>>& measures, const Options& options) {
            require_position(position, pairing.size(), "query");
            require_runs(options.reading.unseen, 2);
            const auto effectiveness = effectiveness_of(measures);
            Query found;
            {
                const nb::gil_scoped_release release;
                Progress progress([] {
                    const nb::gil_scoped_acquire acquire;
                    if (PyErr_CheckSignals() != 0) throw nb::python_error();
                });
                const Watch watch(&progress, 0, nullptr);
                found = query(pairing, position, qrels, effectiveness, options);
            }
            return view_of(found, effectiveness, options.reading);
        },
        "pairing"_a, "position"_a, "qrels"_a.none(), "measures"_a, "options"_a);
}
