#include "drivers/statistics.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "bindings.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace medir;

namespace {

template <class Scalar>
const Scalar* data_of(const std::optional<Column<Scalar>>& column) {
    return column ? column->data() : nullptr;
}

// A column for the core, with what it lies in.
struct ValuesOfQueries {
    ValuesOfQueries(const Column<double>& all, const std::optional<Column<double>>& gaps_of_all,
                    const std::optional<Column<double>>& weights_of_all,
                    const std::optional<Column<std::int64_t>>& some)
        : values(all), gaps(gaps_of_all), weights(weights_of_all), rows(some) {
        if (gaps) require_size(gaps->size(), values.size(), "gaps");
        if (weights) require_size(weights->size(), values.size(), "weights");
        if (!rows) return;
        std::uint64_t greatest = 0;  // of what is negative, too
        for (std::size_t i = 0; i < rows->size(); ++i)
            greatest = std::max(greatest, static_cast<std::uint64_t>(rows->data()[i]));
        if (rows->size() > 0) require_position(greatest, values.size(), "row");
    }

    QueryValues native() const {
        return {values.data(), data_of(gaps), data_of(weights), data_of(rows), rows ? rows->size() : values.size()};
    }

    Column<double> values;
    std::optional<Column<double>> gaps, weights;
    std::optional<Column<std::int64_t>> rows;
};

// Calls a function of the core without the lock of Python.
auto unlocked(auto function) {
    const nb::gil_scoped_release release;
    return function();
}

std::pair<std::size_t, double> pair_of(const Share& share) { return {share.queries, share.weight}; }

}  // namespace

void bind_statistics(nb::module_& module) {
    nb::class_<ValuesOfQueries>(module, "QueryValues")
        .def(nb::init<const Column<double>&, const std::optional<Column<double>>&, const std::optional<Column<double>>&,
                      const std::optional<Column<std::int64_t>>&>(),
             "values"_a.noconvert(), "gaps"_a.noconvert().none() = nb::none(),
             "weights"_a.noconvert().none() = nb::none(), "rows"_a.noconvert().none() = nb::none())
        .def("__len__", [](const ValuesOfQueries& column) { return column.native().size; })
        .def("sum",
             [](const ValuesOfQueries& column) {
                 const Sum sum = unlocked([&] { return weighted_sum(column.native()); });
                 return std::pair(sum.value(), sum.rest());
             })
        .def("extremes",
             [](const ValuesOfQueries& column) {
                 const Extremes found = unlocked([&] { return extremes(column.native()); });
                 return std::pair(found.least, found.greatest);
             })
        .def(
            "influence",
            [](const ValuesOfQueries& column, double sum, double rest, double weight) {
                return unlocked([&] { return influence(column.native(), sum, rest, weight); });
            },
            "sum"_a, "rest"_a, "weight"_a)
        .def(
            "quantiles",
            [](const ValuesOfQueries& column, const std::vector<double>& wanted) {
                require(column.native().size > 0, "quantiles need values");
                return unlocked([&] { return quantiles(column.native(), wanted); });
            },
            "wanted"_a)
        .def(
            "above",
            [](const ValuesOfQueries& column, double limit) {
                return pair_of(unlocked([&] { return share_above(column.native(), limit); }));
            },
            "limit"_a)
        .def(
            "histogram",
            [](const ValuesOfQueries& column, const std::vector<double>& inner_edges) {
                return unlocked([&] { return histogram(column.native(), inner_edges); });
            },
            "inner_edges"_a)
        .def(
            "effects",
            [](const ValuesOfQueries& gains, const ValuesOfQueries& losses, double limit) {
                require_size(losses.native().size, gains.native().size, "losses");
                std::array<std::pair<std::size_t, double>, 4> shares;
                const auto found = unlocked([&] { return effects(gains.native(), losses.native(), limit); });
                std::transform(found.begin(), found.end(), shares.begin(), pair_of);
                return shares;
            },
            "losses"_a, "limit"_a);
    module.def(
        "furthest",
        [](const Column<double>& values, const Column<bool>& marked, std::size_t count, bool greatest) {
            require_size(marked.size(), values.size(), "marked");
            return unlocked([&] { return furthest(values.data(), marked.data(), values.size(), count, greatest); });
        },
        "values"_a.noconvert(), "marked"_a.noconvert(), "count"_a, "greatest"_a);
}
