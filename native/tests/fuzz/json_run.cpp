// Runs that are one JSON object: where a strict reader finds lists, the same lists.
#include <memory>

#include "found_lists.hpp"
#include "plain_json.hpp"
#include "plain_text.hpp"
#include "texts/json_lists.hpp"

namespace medir::fuzz {

namespace {

bool add_results(const JsonValue& value, bool scored, std::vector<Result>& results) {
    std::size_t left = value.members.size();
    for (const auto& [key, member] : value.members) {
        if (value.kind == JsonValue::Kind::array) {
            const auto id = id_in(member);
            if (!id || id->empty()) return false;
            results.emplace_back(*id, static_cast<double>(left--));
            continue;
        }
        const auto id = PlainJson::said(key);
        const auto score = member.kind == JsonValue::Kind::number ? number_in(member.text) : std::nullopt;
        if (!id || id->empty() || !score) return false;
        results.emplace_back(*id, scored ? single_precision(*score) : 0.0);
    }
    return true;
}

std::optional<Found> plain_read(const std::string& text, Order order) {
    const auto object = PlainJson(without_mark(text)).read();
    if (!object || object->kind != JsonValue::Kind::object) return {};
    Found found;
    bool has_lists = false;
    for (const auto& [key, value] : object->members) {
        const auto query = PlainJson::said(key);
        if (!query || query->empty() || found.contains(*query)) return {};
        has_lists = has_lists || value.kind == JsonValue::Kind::array;
        if (value.kind != JsonValue::Kind::array && value.kind != JsonValue::Kind::object) return {};
        if (!add_results(value, order == Order::score, found[*query])) return {};
    }
    if (order == Order::rank && !has_lists) return {};
    sort_results(found, order == Order::score ? order : Order::file);
    return found.empty() ? std::nullopt : std::optional(found);
}

}  // namespace

void try_input(std::string_view bytes) {
    constexpr Order orders[] = {Order::score, Order::rank, Order::file};
    Choices choices(bytes);
    const Order order = choices.one_of(orders);
    const std::string text(choices.text());
    const auto found = attempt([&] { return std::make_unique<JsonDocument>(Text::copy("fuzz", text), order); });
    const auto expected = plain_read(text, order);
    require(!expected || found == expected, "the run", text);
}

}  // namespace medir::fuzz
