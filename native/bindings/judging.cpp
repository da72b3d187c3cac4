#include "drivers/judging.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace medir;

void bind_judging(nb::module_& module) {
    nb::class_<Pool>(module, "Pool")
        .def(
            "__init__",
            [](Pool* self, std::vector<std::shared_ptr<const Lists>> runs) {
                require(!runs.empty(), "there must be at least one run");
                new (self) Pool(std::move(runs));
            },
            "runs"_a)
        .def("__len__", &Pool::size)
        .def("query",
             [](const Pool& pool, std::size_t i) {
                 require_position(i, pool.size(), "query");
                 return bytes_of(pool.query(i));
             })
        .def("queries", &ids_of<Pool, &Pool::size>)
        .def("in_all",
             [](const Pool& pool, std::size_t i) {
                 require_position(i, pool.size(), "query");
                 return pool.in_all(i);
             })
        .def("keep_common", &Pool::keep_common);

    module.def(
        "judge",
        [](const Pool& pool, const Lists* qrels, const Measure& measure, const std::vector<std::int32_t>& grades,
           const std::vector<std::int64_t>& available, const Options& options, std::size_t most, Progress& progress) {
            require_runs(options.reading.unseen, pool.runs());
            const Effectiveness& effectiveness = effectiveness_of(measure);
            for (const std::int32_t grade : grades) {
                require(grade >= 0, "grades must not be negative");
                if (!available.empty()) require_position(static_cast<std::size_t>(grade), available.size(), "grade");
            }
            std::vector<Suggestion> suggestions;
            {
                const nb::gil_scoped_release release;
                suggestions = judge(pool, qrels, effectiveness, {grades, available}, options, most, progress);
            }
            nb::list rows;
            for (const Suggestion& one : suggestions)
                rows.append(nb::make_tuple(bytes_of(pool.query(one.query)), bytes_of(one.document), one.reduction,
                                           one.med, one.worst, one.best));
            return rows;
        },
        "pool"_a, "qrels"_a.none(), "measure"_a, "grades"_a, "available"_a, "options"_a, "most"_a, "progress"_a);
}
