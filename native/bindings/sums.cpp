#include "base/sums.hpp"

#include <nanobind/stl/optional.h>

#include <optional>

#include "bindings.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace medir;

void bind_sums(nb::module_& module) {
    module.def(
        "add_up",
        [](const Array<const double, 2>& values, const std::optional<Column<double>>& weights, Array<double, 1> sums) {
            require_shape(sums, {values.shape(0)}, "sums");
            const bool one_for_all = weights && weights->size() == 1;
            if (weights && !one_for_all) require_shape(*weights, {values.shape(1)}, "weights");
            const nb::gil_scoped_release release;
            add_up(values.data(), values.shape(0), values.shape(1),
                   {weights ? weights->data() : nullptr, one_for_all ? 0u : 1u}, sums.data());
        },
        "values"_a.noconvert(), "weights"_a.noconvert().none(), "sums"_a.noconvert());
}
