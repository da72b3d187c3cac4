// What the bindings share: arrays, bytes, and checks of what Python hands over.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "base/fields.hpp"
#include "lists/columns.hpp"
#include "measures/effectiveness.hpp"
#include "measures/multilinear.hpp"
#include "texts/read_ahead.hpp"

// Arrays are taken as they are: of this type, contiguous, and read or written in place.
template <class Scalar, std::size_t Dimensions>
using Array = nanobind::ndarray<Scalar, nanobind::ndim<Dimensions>, nanobind::c_contig, nanobind::device::cpu>;
template <class Scalar>
using Column = Array<const Scalar, 1>;

template <class Scalar>
std::vector<Scalar> vector_of(const Column<Scalar>& column) {
    return {column.data(), column.data() + column.size()};
}

inline std::string_view view(const nanobind::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

// A copy of an id that may be looked up: that reads words, and thus past the end of the bytes.
class Padded {
public:
    explicit Padded(const nanobind::bytes& id) : text_(medir::Text::copy("", view(id))) {}
    std::string_view id() const { return {text_.begin(), text_.size()}; }

private:
    medir::Text text_;
};
inline nanobind::bytes bytes_of(std::string_view text) { return nanobind::bytes(text.data(), text.size()); }
inline nanobind::tuple row_of(const medir::Difference& row) {
    return std::apply([](auto... values) { return nanobind::make_tuple(values...); }, row.row());
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
    if constexpr (requires { holder.check_sources(); })
        holder.check_sources();
    else
        holder.check_source();
    return nanobind::make_tuple(bytes_of(bytes), ends);
}

// Throws a ValueError with this problem unless it holds.
void require(bool holds, const std::string& problem);
void require_threads(int threads);
// Positions count from 0.
void require_position(std::size_t position, std::size_t size, const char* what);
// Where lists were cut is known for as many runs as are compared.
void require_runs(const medir::Unseen& unseen, std::size_t runs);
void require_size(std::size_t found, std::size_t expected, const char* what);

template <class Scalar, std::size_t Dimensions>
void require_shape(const Array<Scalar, Dimensions>& array, const std::size_t (&expected)[Dimensions],
                   const char* what) {
    bool fits = true;
    std::string found_shape, expected_shape;
    for (std::size_t i = 0; i < Dimensions; ++i) {
        fits = fits && array.shape(i) == expected[i];
        found_shape += (i == 0 ? "" : " x ") + std::to_string(array.shape(i));
        expected_shape += (i == 0 ? "" : " x ") + std::to_string(expected[i]);
    }
    require(fits, std::string(what) + " must have the shape " + expected_shape + ", not " + found_shape);
}

// Where parts of `size` things end: never before the part above, the last at the end.
void require_ends(const Column<std::uint64_t>& ends, std::size_t size, const char* what);
// A path is mapped; bytes that were read or decompressed are copied.
medir::Text text_of(const std::string& name, const nanobind::object& content);
// The same, with the blocks of its queries: those that were begun ahead, or none yet.
std::shared_ptr<medir::QueryBlocks> blocks_of(const std::string& name, const nanobind::object& content);
medir::Strings strings_of(const nanobind::bytes& bytes, const Column<std::uint64_t>& ends, const char* what);

// Similarities know of no relevance: a TypeError.
const medir::Effectiveness& effectiveness_of(const medir::Measure& measure);
std::vector<std::shared_ptr<const medir::Effectiveness>> effectiveness_of(
    const std::vector<std::shared_ptr<const medir::Measure>>& measures);
// Time-biased gain, for one, is not linear in relevance: a TypeError.
std::shared_ptr<const medir::Multilinear> multilinear_of(const std::shared_ptr<const medir::Measure>& measure);

// Hands pieces of text to a function of Python, as memory that it must not keep.
medir::Sink sink_of(const nanobind::callable& function);

void bind_reading(nanobind::module_& module);
void bind_mappings(nanobind::module_& module);
void bind_tables(nanobind::module_& module);
void bind_queries(nanobind::module_& module);
void bind_text_lists(nanobind::module_& module);
void bind_measures(nanobind::module_& module);
void bind_comparing(nanobind::module_& module);
void bind_querying(nanobind::module_& module);
void bind_shards(nanobind::module_& module);
void bind_expecting(nanobind::module_& module);
void bind_judging(nanobind::module_& module);
void bind_exposure(nanobind::module_& module);
void bind_matrix(nanobind::module_& module);
void bind_similarity(nanobind::module_& module);
void bind_passages(nanobind::module_& module);
void bind_batches(nanobind::module_& module);
void bind_sums(nanobind::module_& module);
void bind_statistics(nanobind::module_& module);
