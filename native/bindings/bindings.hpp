#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "measures/multilinear.hpp"

inline nanobind::bytes bytes_of(std::string_view text) { return nanobind::bytes(text.data(), text.size()); }

// Similarities know of no relevance.
inline std::shared_ptr<const medir::Effectiveness> effectiveness_of(
    const std::shared_ptr<const medir::Measure>& measure) {
    auto effectiveness = std::dynamic_pointer_cast<const medir::Effectiveness>(measure);
    if (effectiveness == nullptr) throw nanobind::type_error("the measure must be one of effectiveness");
    return effectiveness;
}

// Time-biased gain, for one, is not linear in relevance.
inline std::shared_ptr<const medir::Multilinear> multilinear_of(const std::shared_ptr<const medir::Measure>& measure) {
    auto multilinear = std::dynamic_pointer_cast<const medir::Multilinear>(measure);
    if (multilinear == nullptr) throw nanobind::type_error("the measure must be linear in relevance");
    return multilinear;
}

// The ids of all queries, for Python to take apart at once: their bytes one behind the other, and where each ends.
template <class Holder, std::size_t (Holder::*Size)() const>
nanobind::tuple ids_of(const Holder& holder) {
    std::string bytes;
    nanobind::list ends;
    for (std::size_t i = 0; i < (holder.*Size)(); ++i) {
        bytes.append(holder.query(i));
        ends.append(bytes.size());
    }
    return nanobind::make_tuple(nanobind::bytes(bytes.data(), bytes.size()), ends);
}

void bind_reading(nanobind::module_& module);
void bind_comparing(nanobind::module_& module);
void bind_querying(nanobind::module_& module);
void bind_expecting(nanobind::module_& module);
void bind_judging(nanobind::module_& module);
void bind_matrix(nanobind::module_& module);
void bind_similarity(nanobind::module_& module);
void bind_passages(nanobind::module_& module);
