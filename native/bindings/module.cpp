#include <stdexcept>

#include "base/errors.hpp"
#include "bindings.hpp"

namespace nb = nanobind;

namespace {

// Text from a file may hold bytes that are no UTF-8; they survive as surrogates.
nb::object decode(const std::string& bytes) {
    return nb::steal(PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape"));
}

void translate(const std::exception_ptr& pointer, void*) {
    try {
        std::rethrow_exception(pointer);
    } catch (const medir::InputError& error) {
        const nb::object type = nb::module_::import_("medir.errors").attr("InputError");
        const nb::object line = error.line == 0 ? nb::none() : nb::object(nb::int_(error.line));
        const nb::object value =
            type(decode(error.problem), decode(error.source), line, decode(error.text), decode(error.remedy));
        PyErr_SetObject(type.ptr(), value.ptr());
    } catch (const std::length_error&) {  // more than a container can ever hold
        PyErr_NoMemory();
    }
}

}  // namespace

NB_MODULE(_core, module) {
    // Libraries of tables keep the classes that they have met until the end: nothing that users should hear of.
    nb::set_leak_warnings(false);
    nb::register_exception_translator(translate);
    bind_reading(module);
    bind_mappings(module);
    bind_tables(module);
    bind_queries(module);
    bind_text_lists(module);
    bind_measures(module);
    bind_comparing(module);
    bind_querying(module);
    bind_shards(module);
    bind_expecting(module);
    bind_judging(module);
    bind_exposure(module);
    bind_matrix(module);
    bind_similarity(module);
    bind_passages(module);
    bind_batches(module);
    bind_sums(module);
    bind_statistics(module);
}
