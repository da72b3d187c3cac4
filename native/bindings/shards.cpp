#include "shards.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <bit>

#include "drivers/comparing.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace medir;

namespace {

nb::object memory_of(std::string_view text) {
    return nb::steal(
        PyMemoryView_FromMemory(const_cast<char*>(text.data()), static_cast<Py_ssize_t>(text.size()), PyBUF_READ));
}

std::vector<ShardMeasure> measures_of(const std::vector<std::shared_ptr<ShardMeasure>>& asked) {
    std::vector<ShardMeasure> measures;
    for (const auto& one : asked) measures.push_back(one == nullptr ? ShardMeasure{nullptr, {}, 0, false} : *one);
    return measures;
}

}  // namespace

void bind_shards(nb::module_& module) {
    nb::class_<ShardMeasure>(module, "ShardMeasure")
        .def(
            "__init__",
            [](ShardMeasure* self, const std::shared_ptr<const Measure>& kernel, const Column<double>& values,
               std::optional<std::size_t> reach, bool norm_by_query) {
                require(values.size() <= most_shard_values, "a shard has letters for 64 values of relevance");
                new (self)
                    ShardMeasure{multilinear_of(kernel), vector_of(values), reach.value_or(no_limit), norm_by_query};
            },
            "kernel"_a, "values"_a, "reach"_a.none(), "norm_by_query"_a);
    nb::class_<RequestedShards>(module, "Shards")
        .def(
            "__init__",
            [](RequestedShards* self, const std::vector<std::shared_ptr<ShardMeasure>>& measures, std::size_t queries,
               Array<std::uint32_t, 1> checksums, Array<std::uint32_t, 1> occurring, nb::callable sink) {
                require(queries > 0, "a shard has one query or more");
                const std::size_t bits = 32 * occurring.size();
                require(bits == 0 || (std::has_single_bit(bits) && bits <= std::size_t{1} << 31),
                        "the bits of documents that occur are a power of two, at most 2^31");
                new (self) RequestedShards{{measures_of(measures), queries, checksums.data(), SharedBits(bits), {}},
                                           checksums,
                                           occurring,
                                           sink};
                self->native.sink = [self](const Shard& shard) {
                    const nb::gil_scoped_acquire acquire;
                    self->sink(shard.number, memory_of(shard.queries), memory_of(shard.lists));
                };
            },
            "measures"_a, "queries"_a, "checksums"_a.noconvert(), "occurring"_a.noconvert(), "take"_a);
    module.def(
        "write_shards",
        [](const Pairing& pairing, const Lists* qrels, const std::vector<std::shared_ptr<const Measure>>& measures,
           const Options& options, RequestedShards& shards, Progress& progress) {
            require_runs(options.reading.unseen, 2);
            require_size(options.reaches.size(), measures.size(), "reaches");
            require_size(shards.native.measures.size(), measures.size(), "measures of shards");
            require_shape(shards.checksums, {pairing.size()}, "checksums");
            {
                const nb::gil_scoped_release release;
                compare(pairing, qrels, measures, options, {nullptr, nullptr, pairing.size()}, &shards.native,
                        progress);
            }
            shards.finish();
        },
        "pairing"_a, "qrels"_a.none(), "measures"_a, "options"_a, "shards"_a, "progress"_a);
}
