#include "drivers/matrix.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace medir;

void bind_matrix(nb::module_& module) {
    using Values = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
    using Gaps = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
    using Marks = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    module.def(
        "compare_pairs",
        [](const Pool& pool, const std::vector<std::pair<std::size_t, std::size_t>>& pairs, const Lists* qrels,
           const std::vector<std::shared_ptr<const Measure>>& measures, const Options& options, Values values,
           Gaps gaps, Marks finished, Progress& progress) {
            const nb::gil_scoped_release release;
            compare_pairs(pool, pairs, qrels, measures, options, values.data(), gaps.data(), finished.data(), progress);
        },
        "pool"_a, "pairs"_a, "qrels"_a.none(), "measures"_a, "options"_a, "values"_a.noconvert(), "gaps"_a.noconvert(),
        "finished"_a.noconvert(), "progress"_a);
}
