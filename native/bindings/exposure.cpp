#include "drivers/exposure.hpp"

#include <nanobind/stl/optional.h>

#include <optional>

#include "bindings.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace medir;

namespace {

std::size_t count(const Exposures& exposures) {
    std::size_t total = 0;
    for (const auto& part : exposures.parts) total += part.size();
    return total;
}

std::string_view document(const Exposures& exposures, std::size_t number) {
    require_position(number, count(exposures), "document");
    for (const auto& part : exposures.parts) {
        if (number < part.size()) return part[number].document();
        number -= part.size();
    }
    return {};
}

// One value per document, by number.
template <class Value, class Of>
nb::ndarray<nb::numpy, Value, nb::ndim<1>> column(const Exposures& exposures, Of of) {
    auto* held = new std::vector<Value>();
    const nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
    held->reserve(count(exposures));
    for (const auto& part : exposures.parts)
        for (const Exposure& exposure : part) held->push_back(of(exposure));
    return {held->data(), {held->size()}, owner};
}

template <auto Member>
auto member(const Exposures& exposures) {
    using Value = std::remove_cvref_t<decltype(std::declval<Exposure>().*Member)>;
    return column<Value>(exposures, [](const Exposure& exposure) { return exposure.*Member; });
}

}  // namespace

void bind_exposure(nb::module_& module) {
    nb::class_<Exposures>(module, "Exposures")
        .def("__len__", &count)
        .def(
            "document",
            [](const Exposures& exposures, std::size_t number) { return bytes_of(document(exposures, number)); },
            "number"_a)
        .def("before", &member<&Exposure::before>)
        .def("after", &member<&Exposure::after>)
        .def("queries_before", &member<&Exposure::queries_before>)
        .def("queries_after", &member<&Exposure::queries_after>)
        .def("first",
             [](const Exposures& exposures) {
                 return column<std::uint64_t>(exposures, [](const Exposure& exposure) {
                     return std::uint64_t{exposure.query} << 32 | exposure.place;
                 });
             })
        .def_ro("total_before", &Exposures::before)
        .def_ro("total_after", &Exposures::after)
        .def_ro("repeats", &Exposures::repeats);

    module.def(
        "expose",
        [](const Pairing& pairing, const Column<double>& worth, const std::optional<Column<double>>& weights,
           const Options& options, Progress& progress) {
            if (weights) require_size(weights->size(), pairing.size(), "weights");
            const std::vector<double> by_rank = vector_of(worth);
            const double* by_query = weights ? weights->data() : nullptr;
            const nb::gil_scoped_release release;
            return expose(pairing, by_rank, by_query, options, progress);
        },
        nb::keep_alive<0, 1>(), "pairing"_a, "worth"_a.noconvert(), "weights"_a.noconvert().none(), "options"_a,
        "progress"_a);
}
