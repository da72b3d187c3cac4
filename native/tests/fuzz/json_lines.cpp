// JSON lines: where a strict reader finds lists, the same lists; and for chunks of any size what is read at once.
#include <memory>

#include "found_lists.hpp"
#include "plain_json.hpp"
#include "plain_text.hpp"
#include "texts/json_lists.hpp"

namespace medir::fuzz {

namespace {

// The only member of a name.
const JsonValue* field(const JsonValue& object, const std::string& name) {
    const JsonValue* found = nullptr;
    for (const auto& [key, value] : object.members) {
        if (key != name) continue;
        if (found != nullptr) return nullptr;
        found = &value;
    }
    return found;
}

std::optional<double> score_in(const JsonValue& value) {
    const auto number = value.kind == JsonValue::Kind::number ? number_in(value.text) : std::nullopt;
    return number ? std::optional(single_precision(*number)) : std::nullopt;
}

bool add_result(const JsonValue& document, const JsonValue& score, std::vector<Result>& results) {
    const auto id = id_in(document);
    const auto value = score_in(score);
    if (!id || id->empty() || !value) return false;
    results.emplace_back(*id, *value);
    return true;
}

bool add_row(const JsonValue& object, bool lists, Found& found) {
    const JsonValue* query = field(object, "query_id");
    const JsonValue* document = field(object, lists ? "doc_ids" : "doc_id");
    const JsonValue* score = field(object, lists ? "scores" : "score");
    if (object.kind != JsonValue::Kind::object || query == nullptr || document == nullptr || score == nullptr)
        return false;
    const auto id = id_in(*query);
    if (!id || id->empty() || (lists && found.contains(*id))) return false;
    auto& results = found[*id];
    if (!lists) return add_result(*document, *score, results);
    if (document->kind != JsonValue::Kind::array || score->kind != JsonValue::Kind::array) return false;
    if (document->members.size() != score->members.size()) return false;
    for (std::size_t i = 0; i < document->members.size(); ++i)
        if (!add_result(document->members[i].value, score->members[i].value, results)) return false;
    return true;
}

std::optional<Found> plain_read(const std::string& text, bool lists) {
    Found found;
    for (const std::string& line : lines_of(without_mark(text))) {
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        const auto object = PlainJson(line).read();
        if (!object || !add_row(*object, lists, found)) return {};
    }
    sort_results(found, Order::score);
    return found.empty() ? std::nullopt : std::optional(found);
}

}  // namespace

void try_input(std::string_view bytes) {
    Choices choices(bytes);
    const std::size_t how = choices.byte();
    const bool lists = how % 2 == 1;
    const std::string text(choices.text());
    const JsonFields fields{"query_id", lists ? "doc_ids" : "doc_id", lists ? "scores" : "score", ""};
    const auto read = [&](std::size_t chunk) {
        return attempt([&] {
            return std::make_unique<JsonLines>(Text::copy("fuzz", text), fields, lists, Values::scores, Order::score, 1,
                                               chunk);
        });
    };
    const auto found = read(TextLists::usual_chunk);
    const auto expected = plain_read(text, lists);
    require(!expected || found == expected, "the lists", text);
    const auto in_chunks = read(1 + how % 60);
    require(!found || !in_chunks || found == in_chunks, "the lists in chunks", text);
    require(!expected || in_chunks, "a text in order, in chunks", text);
}

}  // namespace medir::fuzz
