#include "bindings.hpp"

namespace nb = nanobind;
using namespace medir;

void require(bool holds, const std::string& problem) {
    if (!holds) throw nb::value_error(problem.c_str());
}

void require_threads(int threads) { require(threads >= 1, "there must be at least one thread"); }

void require_position(std::size_t position, std::size_t size, const char* what) {
    require(position < size, "there is no " + std::string(what) + " " + std::to_string(position) + ": there are " +
                                 std::to_string(size));
}

void require_runs(const medir::Unseen& unseen, std::size_t runs) { require_size(unseen.runs(), runs, "cuts"); }

void require_size(std::size_t found, std::size_t expected, const char* what) {
    require(found == expected,
            std::string(what) + " must have " + std::to_string(expected) + " values, not " + std::to_string(found));
}

void require_ends(const Column<std::uint64_t>& ends, std::size_t size, const char* what) {
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        require(ends.data()[i] >= end, std::string(what) + " must not fall");
        end = ends.data()[i];
    }
    require(end == size, std::string(what) + " must end at " + std::to_string(size) + ", not " + std::to_string(end));
}

Text text_of(const std::string& name, const nb::object& content) {
    if (content.is_none()) {
        const nb::gil_scoped_release release;
        return Text::map(name);
    }
    return Text::copy(name, view(nb::cast<nb::bytes>(content)));
}

std::shared_ptr<QueryBlocks> blocks_of(const std::string& name, const nb::object& content) {
    auto begun = content.is_none() ? ReadAhead::take(name) : nullptr;
    return begun != nullptr ? begun : std::make_shared<QueryBlocks>(text_of(name, content));
}

Strings strings_of(const nb::bytes& bytes, const Column<std::uint64_t>& ends, const char* what) {
    require_ends(ends, bytes.size(), what);
    return Strings(view(bytes), vector_of(ends));
}

const Effectiveness& effectiveness_of(const Measure& measure) {
    const auto* effectiveness = dynamic_cast<const Effectiveness*>(&measure);
    if (effectiveness == nullptr) throw nb::type_error("the measure must be one of effectiveness");
    return *effectiveness;
}

std::vector<std::shared_ptr<const Effectiveness>> effectiveness_of(
    const std::vector<std::shared_ptr<const Measure>>& measures) {
    std::vector<std::shared_ptr<const Effectiveness>> all;
    for (const auto& measure : measures) all.emplace_back(measure, &effectiveness_of(*measure));
    return all;
}

std::shared_ptr<const Multilinear> multilinear_of(const std::shared_ptr<const Measure>& measure) {
    effectiveness_of(*measure);
    auto multilinear = std::dynamic_pointer_cast<const Multilinear>(measure);
    if (multilinear == nullptr) throw nb::type_error("the measure must be linear in relevance");
    return multilinear;
}

Sink sink_of(const nb::callable& function) {
    return [&function](std::string_view text) {
        const nb::gil_scoped_acquire acquire;
        function(nb::steal(
            PyMemoryView_FromMemory(const_cast<char*>(text.data()), static_cast<Py_ssize_t>(text.size()), PyBUF_READ)));
    };
}
