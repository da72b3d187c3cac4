#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

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

// Ids one behind the other.
class Ids {
public:
    // What is neither text nor a small whole number is for `encode`.
    Ids(Encode encode, const char* what) : encode_(std::move(encode)), what_(what) {}

    void add(nb::handle id) {
        if (PyUnicode_Check(id.ptr()) ? !add_text(id.ptr()) : !PyLong_CheckExact(id.ptr()) || !add_number(id.ptr()))
            bytes_.append(view(nb::cast<nb::bytes>(encode_(id, what_))));
        ends_.push_back(bytes_.size());
    }
    std::size_t size() const { return ends_.size(); }
    Strings strings() { return {bytes_, std::move(ends_)}; }

private:
    // Not so text that is no UTF-8, such as a surrogate.
    bool add_text(PyObject* id) {
        Py_ssize_t size = 0;
        const char* const text = PyUnicode_AsUTF8AndSize(id, &size);
        if (text == nullptr) {
            PyErr_Clear();
            return false;
        }
        bytes_.append(text, static_cast<std::size_t>(size));
        return true;
    }
    bool add_number(PyObject* id) {
        int overflow = 0;
        const long long number = PyLong_AsLongLongAndOverflow(id, &overflow);
        if (overflow != 0) return false;
        char digits[24];
        bytes_.append(digits, to_chars(digits, digits + sizeof digits, number).ptr);
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
            add_scores(query, results);
        else
            add_ranking(query, results);
        ends_.push_back(documents_.size());
        items_.clear();
    }
    bool has_scores() const { return has_scores_; }
    bool has_rankings() const { return has_rankings_; }

    std::shared_ptr<ColumnLists> lists(Strings queries, Order order) {
        return std::make_shared<ColumnLists>(name_, std::move(queries), std::move(ends_), documents_.strings(),
                                             Strings({}, {}), std::move(values_), order);
    }

private:
    // What a list, a tuple or a dict holds. It stays alive whatever the functions of Python, or other threads, do to
    // it.
    void hold(nb::handle results) {
        const nb::ft_object_guard guard(results);
        PyObject* const held = results.ptr();
        if (PyDict_CheckExact(held)) {
            Py_ssize_t position = 0;
            PyObject *document = nullptr, *score = nullptr;
            while (PyDict_Next(held, &position, &document, &score)) {
                items_.push_back(nb::borrow(document));
                items_.push_back(nb::borrow(score));
            }
        } else if (PyList_Check(held)) {
            for (Py_ssize_t i = 0; i < PyList_Size(held); ++i) items_.push_back(nb::borrow(PyList_GetItem(held, i)));
        } else {
            for (Py_ssize_t i = 0; i < PyTuple_Size(held); ++i) items_.push_back(nb::borrow(PyTuple_GetItem(held, i)));
        }
    }

    void add_ranking(nb::handle query, nb::handle results) {
        has_rankings_ = true;
        hold(results);
        std::size_t size = 0;
        for (; size < items_.size() && !items_[size].is_none(); ++size) documents_.add(items_[size]);
        for (std::size_t left = size; left > 0; --left) values_.push_back(static_cast<double>(left));
        for (std::size_t i = size; i < items_.size(); ++i)
            if (!items_[i].is_none())
                throw InputError(name_, 0, "",
                                 "query " + std::string(nb::repr(query).c_str()) +
                                     ": a result stands behind None, which ends a list",
                                 "Remove None, or what follows it.");
    }

    void add_scores(nb::handle query, nb::handle results) {
        has_scores_ = true;
        hold(results);
        for (std::size_t i = 0; i < items_.size(); i += 2) {
            const nb::handle document = items_[i], score = items_[i + 1];
            documents_.add(document);
            double value = PyFloat_CheckExact(score.ptr()) ? PyFloat_AsDouble(score.ptr()) : NAN;
            if (std::isnan(value)) value = number_of(query, document, score);
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
    std::vector<nb::object> items_;  // of the query that is added
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
                queries.add(query);
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
