#include "texts/json_lists.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/bytes.hpp"
#include "base/tokens.hpp"

namespace medir {

namespace {

enum Kind : std::size_t { query_kind, document_kind, number_kind, intent_kind };

constexpr const char* one_object = "Write one object per line.";

bool is_plain(const char* begin, const char* end) {
    return std::memchr(begin, '\\', static_cast<std::size_t>(end - begin)) == nullptr;
}

// Whether the token can be an id: text, or a whole number.
bool is_id(const JsonToken& token) {
    if (token.is_string) return true;
    const char* p = token.first + (*token.first == '-');
    return p < token.last && std::all_of(p, token.last, [](char c) { return c >= '0' && c <= '9'; });
}

std::string not_an_id(const char* what, const JsonToken& token) {
    return std::string("a ") + what + " id is text or a whole number, not " + std::string(token.text());
}

constexpr const char* id_remedy = "Write the id as a string.";

const char* begin_of(const Text& text) {
    const bool marked = text.size() >= 3 && std::memcmp(text.begin(), "\xef\xbb\xbf", 3) == 0;  // byte order mark
    return text.begin() + (marked ? 3 : 0);
}

}  // namespace

JsonLines::JsonLines(Text text, JsonFields fields, bool lists, std::optional<Values> values, Order order, int threads,
                     std::size_t chunk)
    : TextLists(std::move(text), values, order),
      json_(text_),
      names_{std::move(fields.query), std::move(fields.document), std::move(fields.number), std::move(fields.intent)},
      lists_(lists) {
    if (!lists_) learn_shape(Json::skip_space(begin_of(text_)));
    scan_all(cuts(chunk), !names_[intent_kind].empty(), threads);
    if (lists_) refuse_repeated();
    if (queries() == 0) throw text_.error(text_.size() == 0 ? "is empty" : "has no rows", "");
}

std::vector<const char*> JsonLines::cuts(std::size_t chunk) const {
    const char* begin = begin_of(text_);
    const auto size = static_cast<std::size_t>(text_.end() - begin);
    std::vector<const char*> starts{begin};
    for (std::size_t at = chunk; at < size; at += chunk)
        if (begin + at > starts.back()) starts.push_back(next_line(begin + at, text_.end()));
    starts.push_back(text_.end());
    return starts;
}

void JsonLines::scan(Chunk& chunk) {
    chunk.plain = is_plain(chunk.begin, chunk.end);
    std::string_view known;  // how the last row begins, up to where its query ends
    for (const char* p = chunk.begin; p < chunk.end;) {
        if (!known.empty() && begins_with(p, chunk.end, known)) {
            ++chunk.blocks.back().rows;
            p = next_line(p + known.size(), chunk.end);
            continue;
        }
        const char* first = Json::skip_blanks_of_line(p);
        p = first >= chunk.end || *first == '\n' ? next_line(std::min(first, chunk.end), chunk.end)
                                                 : scan_row(chunk, first, known);
    }
}

const char* JsonLines::scan_row(Chunk& chunk, const char* p, std::string_view& known) const {
    Row row;
    const char* next = read_row(p, row);
    const JsonToken& token = row.tokens[query_kind];
    std::string_view query = names_[query_kind].empty() ? all_rows : token.text();
    if (token.has_escapes) {
        std::string room;
        query = kept_query(chunk, json_.unescaped(token, room));
    }
    if (lists_) {
        add_list(chunk, p, query, row.items[document_kind]);
    } else {
        add_row(chunk, p, query);
        if (chunk.plain && !names_[query_kind].empty()) known = {p, token.last + 1};
    }
    if (!chunk.plain) find_escapes(chunk, row);
    return next;
}

void JsonLines::find_escapes(Chunk& chunk, const Row& row) const {
    const auto add = [&](const JsonToken& token) {
        std::string room;
        if (token.has_escapes) add_respelt(chunk, token.first, json_.unescaped(token, room));
    };
    if (!lists_) {
        add(row.tokens[document_kind]);
        add(row.tokens[intent_kind]);
        return;
    }
    json_.read_array(row.tokens[document_kind].first, [&](const char* p) {
        JsonToken token;
        p = json_.read_scalar(p, token);
        add(token);
        return p;
    });
}

// What is written the same way in each row, if the first one has nothing but scalars.
void JsonLines::learn_shape(const char* p) {
    Row first;
    read_row(p, first);  // which is in order
    const char* from = p;
    const auto add = [&](const char* end, std::size_t kind, bool is_string) {
        const auto size = static_cast<std::size_t>(end - from);
        shape_.push_back({std::string(from, size).append(8, '\0'), size, kind, is_string});
    };
    bool scalars = true;
    p = json_.read_object(p, [&](const JsonToken&, const char* value) {
        std::size_t items = 0, kind = 0;
        if (*value == '{' || *value == '[') {
            scalars = false;
            return json_.skip_value(value, items);
        }
        JsonToken token;
        const char* end = json_.read_scalar(value, token);
        while (kind < kinds && first.tokens[kind].first != token.first) ++kind;
        add(token.first, kind, token.is_string);
        from = token.last;
        return end;
    });
    add(p, kinds, false);
    if (!scalars || *p != '\n') shape_.clear();
}

// As read_row, for rows that are written as the first one is and have no escapes; a null pointer for all others.
const char* JsonLines::read_alike(const char* p, Row& row) const {
    for (const Part& part : shape_) {
        if (!begins_with(p, text_.end(), {part.lead.data(), part.size})) return nullptr;
        p += part.size;
        if (&part == &shape_.back()) break;
        const char* first = p;
        if (part.is_string) {
            p = Json::string_stop(p);
            if (*p != '"') return nullptr;
        } else {
            while (!Json::ends_scalar(*p)) ++p;
            if (p == first) return nullptr;
        }
        if (part.kind < kinds) row.tokens[part.kind] = {first, p, part.is_string, false};
    }
    if (shape_.empty() || *p != '\n') return nullptr;
    return names_[query_kind].empty() || is_id(row.tokens[query_kind]) ? p + 1 : nullptr;
}

// The fields of an object that count. Returns where the next line begins.
const char* JsonLines::read_row(const char* p, Row& row) const {
    const char* start = p;
    if (const char* next = read_alike(p, row)) return next;
    row = {};
    if (*p != '{') throw json_.error(p, "not a JSON object", one_object);
    p = json_.read_object(p, [&](const JsonToken& key, const char* value) {
        for (std::size_t kind = 0; kind < kinds; ++kind) {
            if (key.text() != names_[kind] || names_[kind].empty()) continue;
            JsonToken& token = row.tokens[kind];
            if (token.first != nullptr)
                throw text_.error(start, "the field " + names_[kind] + " is there twice", "Remove one of them.");
            if (lists_ && (kind == document_kind || kind == number_kind)) {
                if (*value != '[') throw json_.error(value, names_[kind] + " is not a list", "Write it as [...].");
                token.first = value;
                token.last = json_.skip_value(value, row.items[kind]);
                return token.last;
            }
            if (*value == '{' || *value == '[')
                throw json_.error(value, names_[kind] + " is neither text nor a number", "");
            return json_.read_scalar(value, token);
        }
        std::size_t items = 0;
        return json_.skip_value(value, items);
    });
    if (std::memchr(start, '\n', static_cast<std::size_t>(p - start)) != nullptr)
        throw text_.error(start, "the object goes on in the next line", one_object);
    p = Json::skip_blanks_of_line(p);
    if (p < text_.end() && *p != '\n') throw json_.error(p, "there is something behind the object", one_object);
    check_row(start, row);
    return p < text_.end() ? p + 1 : p;
}

void JsonLines::check_row(const char* start, const Row& row) const {
    for (std::size_t kind = 0; kind < kinds; ++kind)
        if (!names_[kind].empty() && row.tokens[kind].first == nullptr)
            throw text_.error(start, "there is no field " + names_[kind], "Every line has the same fields.");
    if (!names_[query_kind].empty() && !is_id(row.tokens[query_kind]))
        throw text_.error(start, not_an_id("query", row.tokens[query_kind]), id_remedy);
}

std::string_view JsonLines::id(const Block& block, const JsonToken& token, const char* row, const char* what,
                               std::uint32_t& next) const {
    if (token.has_escapes) return respelt(block, token.first, next);
    if (!is_id(token)) throw text_.error(row, not_an_id(what, token), id_remedy);
    return token.text();
}

void JsonLines::parse(const Block& block, std::vector<Entry>& entries, Places* places) const {
    std::uint32_t next = block.respelt;
    Row row;
    for (const char* p = block.begin; p < block.end;) {
        const char* start = Json::skip_blanks_of_line(p);
        if (start >= block.end || *start == '\n') {
            p = next_line(std::min(start, block.end), block.end);
            continue;
        }
        p = read_row(start, row);
        if (lists_) {
            add_lists(block, start, row, next, entries, places);
            continue;
        }
        const std::string_view document = id(block, row.tokens[document_kind], start, "document", next);
        add(document, number_token(row.tokens[number_kind]), start, entries);
        if (places == nullptr) continue;
        const bool has_intent = !names_[intent_kind].empty();
        places->push_back(
            {document.data(), start, has_intent ? id(block, row.tokens[intent_kind], start, "intent", next) : ""});
    }
}

// A number in quotes is one where grades are expected.
std::string_view JsonLines::number_token(const JsonToken& token) const {
    if (!token.is_string || values_ == Values::grades) return token.text();
    return {token.first - 1, token.last + 1};
}

void JsonLines::add_lists(const Block& block, const char* start, const Row& row, std::uint32_t& next,
                          std::vector<Entry>& entries, Places* places) const {
    std::vector<std::string_view> scores;
    const auto scalar = [&](const char* p, JsonToken& token) {
        if (*p == '{' || *p == '[') throw text_.error(start, "a list holds something else than ids and scores", "");
        return json_.read_scalar(p, token);
    };
    if (!names_[number_kind].empty()) {
        json_.read_array(row.tokens[number_kind].first, [&](const char* p) {
            JsonToken token;
            p = scalar(p, token);
            scores.push_back(number_token(token));
            return p;
        });
        if (scores.size() != row.items[document_kind])
            throw text_.error(start,
                              "there are " + std::to_string(row.items[document_kind]) + " documents and " +
                                  std::to_string(scores.size()) + " scores",
                              "Give one score for each document, or none at all.");
    }
    std::size_t at = 0;
    json_.read_array(row.tokens[document_kind].first, [&](const char* p) {
        JsonToken token;
        p = scalar(p, token);
        const std::string_view document = id(block, token, start, "document", next);
        add(document, at < scores.size() ? scores[at] : std::string_view{}, start, entries);
        if (places != nullptr) places->push_back({document.data(), start, {}});
        ++at;
        return p;
    });
}

JsonDocument::JsonDocument(Text text, Order order)
    : TextLists(std::move(text), order == Order::score ? std::optional(Values::scores) : std::nullopt,
                order == Order::score ? order : Order::file),
      json_(text_),
      refuses_scores_(order == Order::rank) {
    scan_all({begin_of(text_), text_.end()}, false, 1);
    if (queries() == 0) throw text_.error("holds no queries", "");
    refuse_repeated();
}

void JsonDocument::scan(Chunk& chunk) {
    chunk.plain = is_plain(chunk.begin, chunk.end);
    bool has_lists = false;
    const char* p = json_.read_object(chunk.begin, [&](const JsonToken& key, const char* value) {
        std::string_view query = key.text();
        if (key.has_escapes) {
            std::string room;
            query = kept_query(chunk, json_.unescaped(key, room));
        }
        if (*value != '{' && *value != '[')
            throw json_.error(value, "query '" + std::string(query) + "' has no results here",
                              "Give a list of documents, best first, or an object of documents and scores.");
        has_lists = has_lists || *value == '[';
        std::size_t items = 0;
        const char* end = json_.skip_value(value, items);
        add_list(chunk, value, query, items);
        chunk.blocks.back().end = end;
        if (!chunk.plain) find_escapes(chunk, value);
        return end;
    });
    p = Json::skip_space(p);
    if (p < text_.end())
        throw json_.error(p, "there is something behind the JSON object",
                          "One object holds all queries; JSON lines have named fields.");
    if (refuses_scores_ && !has_lists)
        throw text_.error("order='rank' needs ranks, and documents with scores have none",
                          "Choose order='score', or 'file' to take the documents as they come.");
}

// Calls visit(document, number) for the results of a query.
template <class Visit>
void JsonDocument::read_results(const char* p, Visit visit) const {
    if (*p == '[') {
        json_.read_array(p, [&](const char* element) {
            JsonToken token;
            if (*element == '{' || *element == '[')
                throw json_.error(element, "there is no document id here", "Give a list of ids.");
            element = json_.read_scalar(element, token);
            visit(token, nullptr);
            return element;
        });
        return;
    }
    json_.read_object(p, [&](const JsonToken& key, const char* value) {
        JsonToken score;
        if (*value == '{' || *value == '[') throw json_.error(value, "there is no score here", "Give a number.");
        value = json_.read_scalar(value, score);
        visit(key, &score);
        return value;
    });
}

void JsonDocument::find_escapes(Chunk& chunk, const char* p) const {
    read_results(p, [&](const JsonToken& document, const JsonToken*) {
        std::string room;
        if (document.has_escapes) add_respelt(chunk, document.first, json_.unescaped(document, room));
    });
}

void JsonDocument::parse(const Block& block, std::vector<Entry>& entries, Places* places) const {
    std::uint32_t next = block.respelt;
    std::uint64_t left = block.rows;
    read_results(block.begin, [&](const JsonToken& token, const JsonToken* score) {
        std::string_view document = token.has_escapes ? respelt(block, token.first, next) : token.text();
        if (!is_id(token)) throw json_.error(token.first, not_an_id("document", token), id_remedy);
        if (score == nullptr) {
            add_ranked(document, static_cast<double>(left--), token.first, entries);
        } else {
            const bool quoted = score->is_string;
            add(document, {score->first - quoted, score->last + quoted}, token.first, entries);
        }
        if (places != nullptr) places->push_back({document.data(), token.first, {}});
    });
}

}  // namespace medir
