#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <charconv>
#include <cmath>
#include <utility>

#include "bindings.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace medir;

namespace {

using Source = nb::typed<nb::dict, nb::object, nb::object>;
using Encode = nb::typed<nb::callable, nb::bytes(nb::object, nb::str)>;
using Results = nb::typed<nb::callable, nb::object(nb::object, nb::object)>;
using Score = nb::typed<nb::callable, double(nb::object, nb::object, nb::object)>;

// How many objects ahead their memory is asked for: they lie anywhere.
constexpr Py_ssize_t ahead = 12;

// Ids one behind the other.
class Ids {
public:
    // What is neither text nor a small whole number is for `encode`.
    Ids(Encode encode, const char* what) : encode_(std::move(encode)), what_(what) {}

    void add(PyObject* id) {
        if (PyUnicode_Check(id) && PyUnicode_IS_COMPACT_ASCII(id)) [[likely]]
            bytes_.append(static_cast<const char*>(PyUnicode_DATA(id)),
                          static_cast<std::size_t>(PyUnicode_GET_LENGTH(id)));
        else if (!PyLong_CheckExact(id) || !add_number(id))
            bytes_.append(view(nb::cast<nb::bytes>(encode_(nb::handle(id), what_))));
        ends_.push_back(bytes_.size());
    }
    std::size_t size() const { return ends_.size(); }
    Strings strings() { return {bytes_, std::move(ends_)}; }

private:
    bool add_number(PyObject* id) {
        int overflow = 0;
        const long long number = PyLong_AsLongLongAndOverflow(id, &overflow);
        if (overflow != 0) return false;
        char digits[24];
        bytes_.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
        return true;
    }

    Encode encode_;
    nb::str what_;  // that the ids are of
    std::string bytes_;
    std::vector<std::uint64_t> ends_;
};

// What Python is asked for where an object is not one of the usual kinds.
struct Fallbacks {
    Encode encode;    // the bytes of an id
    Results results;  // of a query: a dict or a list
    Score score;      // of a document of a query: a number
};

class Gathered {
public:
    Gathered(std::string name, Fallbacks fallbacks)
        : name_(std::move(name)), fallbacks_(std::move(fallbacks)), documents_(fallbacks_.encode, "document") {}

    void add(nb::handle query, nb::object results) {
        PyObject* const kind = results.ptr();
        if (!PyDict_CheckExact(kind) && !PyList_CheckExact(kind) && !PyTuple_CheckExact(kind))
            results = fallbacks_.results(query, results);
        if (PyDict_CheckExact(results.ptr()))
            add_scores(query, results.ptr());
        else
            add_ranking(query, results.ptr());
        ends_.push_back(documents_.size());
    }
    bool has_scores() const { return has_scores_; }
    bool has_rankings() const { return has_rankings_; }

    std::shared_ptr<ColumnLists> lists(Strings queries, Order order) {
        return std::make_shared<ColumnLists>(name_, std::move(queries), std::move(ends_), documents_.strings(),
                                             Strings({}, {}), std::move(values_), order);
    }

private:
    void add_ranking(nb::handle query, PyObject* results) {
        has_rankings_ = true;
        const Py_ssize_t all = PySequence_Fast_GET_SIZE(results);
        PyObject** const items = PySequence_Fast_ITEMS(results);
        Py_ssize_t size = 0;
        for (; size < all && items[size] != Py_None; ++size) {
            if (size + ahead < all) __builtin_prefetch(items[size + ahead]);
            documents_.add(items[size]);
        }
        for (Py_ssize_t left = size; left > 0; --left) values_.push_back(static_cast<double>(left));
        for (Py_ssize_t i = size; i < all; ++i)
            if (items[i] != Py_None)
                throw InputError(name_, 0, "",
                                 "query " + std::string(nb::repr(query).c_str()) +
                                     ": a result stands behind None, which ends a list",
                                 "Remove None, or what follows it.");
    }

    void add_scores(nb::handle query, PyObject* results) {
        has_scores_ = true;
        pairs_.clear();
        Py_ssize_t position = 0;
        PyObject *document = nullptr, *score = nullptr;
        while (PyDict_Next(results, &position, &document, &score)) pairs_.emplace_back(document, score);
        const std::size_t size = pairs_.size();
        for (std::size_t i = 0; i < size; ++i) {
            if (i + ahead < size) {
                __builtin_prefetch(pairs_[i + ahead].first);
                __builtin_prefetch(pairs_[i + ahead].second);
            }
            documents_.add(pairs_[i].first);
            double value = PyFloat_CheckExact(pairs_[i].second) ? PyFloat_AS_DOUBLE(pairs_[i].second) : NAN;
            if (std::isnan(value)) value = number_of(query, pairs_[i].first, pairs_[i].second);
            values_.push_back(static_cast<double>(static_cast<float>(value)));  // as trec_eval has them
        }
    }

    double number_of(nb::handle query, nb::handle document, nb::handle score) const {
        return nb::cast<double>(fallbacks_.score(query, document, score));
    }

    std::string name_;
    Fallbacks fallbacks_;
    Ids documents_;
    std::vector<std::uint64_t> ends_;
    std::vector<double> values_;
    std::vector<std::pair<PyObject*, PyObject*>> pairs_;
    bool has_scores_ = false, has_rankings_ = false;
};

// An error where two queries have the same id, such as 1 and "1".
void refuse_twice(const ColumnLists& lists, const std::string& name) {
    for (std::uint32_t i = 0; i < lists.queries(); ++i)
        if (lists.find(lists.query(i)) != i)
            throw InputError(name, 0, "", "two queries have the id '" + std::string(lists.query(i)) + "'", "");
}

}  // namespace

void bind_mappings(nb::module_& module) {
    module.def(
        "mapping_lists",
        [](const std::string& name, const Source& source, Order order, Encode encode, Results results, Score score) {
            Ids queries(encode, "query");
            Gathered gathered(name, {encode, std::move(results), std::move(score)});
            for (const auto [query, found] : source) {
                queries.add(query.ptr());
                gathered.add(query, nb::borrow(found));
            }
            if (order == Order::rank && gathered.has_scores() && !gathered.has_rankings())
                throw InputError(name, 0, "", "order='rank' needs ranks, and a mapping of document to score has none",
                                 "Choose order='score', or 'file' to take the documents as they come.");
            if (order == Order::rank || !gathered.has_scores()) order = Order::file;
            auto lists = gathered.lists(queries.strings(), order);
            refuse_twice(*lists, name);
            return lists;
        },
        "name"_a, "source"_a, "order"_a, "encode"_a, "results"_a, "score"_a);
}
