#include "drivers/matrix.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace medir;

void bind_matrix(nb::module_& module) {
    module.def(
        "compare_pairs",
        [](const Pool& pool, const std::vector<std::pair<std::size_t, std::size_t>>& pairs, const Lists* qrels,
           const std::vector<std::shared_ptr<const Measure>>& measures, const Options& options, Array<double, 3> values,
           Array<double, 3> notes, Array<std::uint8_t, 1> finished, Progress& progress) {
            require_shape(values, {measures.size(), pairs.size(), pool.size()}, "values");
            require_runs(options.reading.unseen, pool.runs());
            require_size(options.reaches.size(), measures.size(), "reaches");
            require_shape(notes, {measures.size(), PairNotes::columns, pool.size()}, "notes");
            require_shape(finished, {pool.size()}, "finished");
            for (const auto& [before, after] : pairs) require_position(std::max(before, after), pool.runs(), "run");
            const nb::gil_scoped_release release;
            compare_pairs(pool, pairs, qrels, measures, options, values.data(), {notes.data(), pool.size()},
                          finished.data(), progress);
        },
        "pool"_a, "pairs"_a, "qrels"_a.none(), "measures"_a, "options"_a, "values"_a.noconvert(), "notes"_a.noconvert(),
        "finished"_a.noconvert(), "progress"_a);
}
