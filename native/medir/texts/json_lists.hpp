// Runs and judgments as JSON: lines of one object per result or per query, or one object with all queries.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "texts/text_lists.hpp"

namespace medir {

// The names of the fields that count. Empty: there is no such field.
struct JsonFields {
    std::string query, document, number, intent;
};

// JSON lines: {"query_id": "q1", "doc_id": "d7", "score": 2.5}, one object per result; or, with lists,
// {"query_id": "q1", "doc_ids": ["d7", "d2"], "scores": [2.5, 1]}, one object per query.
class JsonLines final : public TextLists {
public:
    JsonLines(Text text, JsonFields fields, bool lists, std::optional<Values> values, Order order, int threads,
              std::size_t chunk = usual_chunk);

protected:
    void parse(const Block& block, std::vector<Entry>& entries, Places* places) const override;
    void scan(Chunk& chunk) override;

private:
    static constexpr std::size_t kinds = 4;
    // What an object holds: query, document, number, intent. Lists are where they begin.
    struct Row {
        std::array<JsonToken, kinds> tokens{};
        std::array<std::size_t, kinds> items{};
    };
    // A scalar in rows that are written as the first one is: the bytes in front of it, and what it is.
    struct Part {
        std::string lead;  // padded
        std::size_t size, kind;
        bool is_string;
    };
    void learn_shape(const char* p);
    const char* read_alike(const char* p, Row& row) const;
    std::vector<const char*> cuts(std::size_t chunk) const;
    const char* scan_row(Chunk& chunk, const char* p, std::string_view& known) const;
    void find_escapes(Chunk& chunk, const Row& row) const;
    const char* read_row(const char* p, Row& row) const;
    void check_row(const char* start, const Row& row) const;
    std::string_view number_token(const JsonToken& token) const;
    void add_lists(const Block& block, const char* start, const Row& row, std::uint32_t& next,
                   std::vector<Entry>& entries, Places* places) const;
    std::string_view id(const Block& block, const JsonToken& token, const char* row, const char* what,
                        std::uint32_t& next) const;

    Json json_;
    std::array<std::string, kinds> names_;
    bool lists_;
    std::vector<Part> shape_;  // the last one has no scalar
};

// One object: {query: {document: score}} or {query: [documents]}, also mixed.
class JsonDocument final : public TextLists {
public:
    JsonDocument(Text text, Order order);

protected:
    void parse(const Block& block, std::vector<Entry>& entries, Places* places) const override;
    void scan(Chunk& chunk) override;
    InputError row_error(const char* row, std::string problem, std::string remedy) const override {
        return json_.error(row, std::move(problem), std::move(remedy));
    }

private:
    template <class Visit>
    void read_results(const char* p, Visit visit) const;
    void find_escapes(Chunk& chunk, const char* p) const;

    Json json_;
    bool refuses_scores_;
};

}  // namespace medir
