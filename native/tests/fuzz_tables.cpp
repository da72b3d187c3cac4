// Throws made-up runs with named columns and JSON at the readers, built with the address and undefined behaviour
// sanitizers.
//
// Whatever the bytes, reading ends in an InputError or in exactly the entries that a plain reader finds, for chunks of
// any size, and no byte outside the text and its padding is touched. Usage: fuzz_tables ROUNDS [SEED]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "texts/delimited_lists.hpp"
#include "texts/json_lists.hpp"

using namespace medir;

namespace {

struct Result {
    std::string query, document, score;
};
using Results = std::vector<Result>;
using Found = std::map<std::string, std::vector<std::pair<std::string, double>>>;

const std::string pieces[] = {"a",
                              "b",
                              "7",
                              "12345678",
                              "x y",
                              "\xc3\xa9",
                              "\xf0\x9f\x98\x80",
                              "\xff",
                              "\"",
                              ",",
                              "\t",
                              "\n",
                              "\r",
                              "\\",
                              "{",
                              "]",
                              "\x01",
                              ":",
                              "#",
                              "/",
                              "null",
                              "-",
                              std::string(9, 'z'),
                              std::string(70, 'y')};
const std::string numbers[] = {"1", "2", "2.0", "-3", "12.5", "1e2", "0.1", "123456789.123456789", "1e-400", "7"};

std::string random_id(std::mt19937_64& random, bool lines) {
    std::string id;
    do {
        for (std::size_t i = 1 + random() % 3; i > 0; --i) {
            const std::string& piece = pieces[random() % (random() % 4 ? 8 : std::size(pieces))];
            if (!lines || (piece != "\n" && piece != "\r")) id += piece;
        }
    } while (id.empty());
    return id;
}

Results random_results(std::mt19937_64& random, bool lines) {
    std::vector<std::string> queries, documents;
    for (int i = 0; i < 4; ++i) queries.push_back(random_id(random, lines));
    for (int i = 0; i < 6; ++i) documents.push_back(random_id(random, lines));
    Results results;
    std::string query = queries[0];
    for (std::size_t i = 1 + random() % 20; i > 0; --i) {
        if (random() % 3 == 0) query = queries[random() % 4];
        results.push_back({query, documents[random() % 6], numbers[random() % std::size(numbers)]});
    }
    return results;
}

// The plain reader: what was written, by the definition of the order.
Found expected(const Results& results) {
    Found found;
    for (const Result& one : results)
        found[one.query].emplace_back(one.document,
                                      static_cast<double>(static_cast<float>(std::strtod(one.score.c_str(), nullptr))));
    for (auto& [query, list] : found)
        std::stable_sort(list.begin(), list.end(), [](const auto& one, const auto& other) {
            return one.second != other.second ? one.second > other.second : one.first > other.first;
        });
    return found;
}

std::string field(const std::string& cell, char delimiter, std::mt19937_64& random) {
    const bool special = cell.find_first_of(std::string("\"\n\r") + delimiter) != std::string::npos;
    if (!special && random() % 6) return cell;
    std::string text = "\"";
    for (const char c : cell) text += c == '"' ? std::string("\"\"") : std::string(1, c);
    return text + "\"";
}

std::string delimited(const Results& results, char delimiter, std::mt19937_64& random) {
    const std::string end = random() % 3 ? "\n" : "\r\n";
    const std::string sign(1, delimiter);
    const bool extra = random() % 2;
    std::string text = (extra ? "n" + sign : "") + "query_id" + sign + "doc_id" + sign + "score" + end;
    for (const Result& one : results) {
        if (extra) text += field(pieces[random() % 8], delimiter, random) + sign;
        text += field(one.query, delimiter, random) + sign + field(one.document, delimiter, random) + sign + one.score;
        text += end;
        if (random() % 10 == 0) text += end;
    }
    if (random() % 3 == 0) text.resize(text.size() - end.size());
    return text;
}

// A string as JSON has it. Bytes that are no UTF-8 stay as they are.
std::string quoted_json(const std::string& id, std::mt19937_64& random) {
    std::string text = "\"";
    char code[8];
    for (std::size_t i = 0; i < id.size(); ++i) {
        const char c = id[i];
        if (c == '"' || c == '\\') {
            text += std::string("\\") + c;
        } else if (static_cast<unsigned char>(c) < 0x20 || (c == 'a' && random() % 4 == 0)) {
            std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
            text += code;
        } else if (c == '/' && random() % 2) {
            text += "\\/";
        } else if (id.compare(i, 4, "\xf0\x9f\x98\x80") == 0 && random() % 2) {
            text += "\\uD83d\\ude00";
            i += 3;
        } else if (id.compare(i, 2, "\xc3\xa9") == 0 && random() % 2) {
            text += "\\u00E9";
            ++i;
        } else {
            text += c;
        }
    }
    return text + "\"";
}

std::string json_lines(const Results& results, std::mt19937_64& random) {
    std::string text;
    const std::string colon = random() % 2 ? ": " : ":", comma = random() % 2 ? ", " : ",";
    for (const Result& one : results) {
        const std::string query = "\"query_id\"" + colon + quoted_json(one.query, random);
        const std::string document = "\"doc_id\"" + colon + quoted_json(one.document, random);
        const std::string score = "\"score\"" + colon + one.score;
        const std::string more = random() % 8 ? "" : comma + "\"x\":[1,{\"y\":\"]\\\"\"}, null]";
        text += random() % 8 ? "{" + query + comma + document + comma + score + more + "}"
                             : "{ " + score + more + " , " + document + "," + query + " } ";
        text += random() % 10 ? "\n" : "\r\n\n";
    }
    return text;
}

// One object, or lines with a list each; a query comes once.
std::string json_of_lists(const Results& results, bool lines, std::mt19937_64& random) {
    std::map<std::string, Results> lists;
    for (const Result& one : results) lists[one.query].push_back(one);
    std::string text = lines ? "" : "{";
    for (const auto& [query, list] : lists) {
        std::string ids, scores, members;
        for (const Result& one : list) {
            const std::string comma = ids.empty() ? "" : random() % 2 ? "," : " , ";
            const std::string id = quoted_json(one.document, random);
            ids += comma + id;
            scores += comma + one.score;
            members += comma + id + ": " + one.score;
        }
        if (lines) {
            text += "{\"query_id\": " + quoted_json(query, random) + ", \"doc_ids\": [" + ids + "], \"scores\": [" +
                    scores + "]}\n";
        } else {
            text += (text.size() > 1 ? ",\n " : "") + quoted_json(query, random) + ": {" + members + "}";
        }
    }
    return lines ? text : text + "}";
}

Found read(const Lists& lists) {
    Found found;
    std::vector<Entry> entries;
    for (std::size_t query = 0; query < lists.queries(); ++query) {
        lists.read(query, entries);
        auto& list = found[std::string(lists.query(query))];
        for (const Entry& entry : entries) {
            list.emplace_back(entry.document(), entry.value);
            lists.error(query, entry, "", "");
        }
        if (lists.find(lists.query(query)) != query) std::abort();
    }
    return found;
}

enum Kind { comma_kind, tab_kind, lines_kind, list_lines_kind, object_kind, kinds };

std::string written(Kind kind, const Results& results, std::mt19937_64& random) {
    switch (kind) {
        case comma_kind:
            return delimited(results, ',', random);
        case tab_kind:
            return delimited(results, '\t', random);
        case lines_kind:
            return json_lines(results, random);
        case list_lines_kind:
            return json_of_lists(results, true, random);
        default:
            return json_of_lists(results, false, random);
    }
}

std::unique_ptr<Lists> reader(Kind kind, Text text, bool extra, int threads, std::size_t chunk) {
    constexpr Order order = Order::score;
    const Values values = Values::scores;
    const std::size_t first = extra ? 1 : 0;
    switch (kind) {
        case comma_kind:
        case tab_kind:
            return std::make_unique<DelimitedLists>(
                std::move(text), kind == comma_kind ? Delimiter::comma : Delimiter::tab,
                ListColumns{first, first + 1, first + 2, {}}, values, order, threads, Labels{}, chunk);
        case lines_kind:
            return std::make_unique<JsonLines>(std::move(text), JsonFields{"query_id", "doc_id", "score", ""}, false,
                                               values, order, threads, chunk);
        case list_lines_kind:
            return std::make_unique<JsonLines>(std::move(text), JsonFields{"query_id", "doc_ids", "scores", ""}, true,
                                               values, order, threads, chunk);
        default:
            return std::make_unique<JsonDocument>(std::move(text), order);
    }
}

std::optional<Found> attempt(Kind kind, const std::string& text, int threads, std::size_t chunk) {
    try {
        return read(*reader(kind, Text::copy("fuzz", text), text.starts_with("n"), threads, chunk));
    } catch (const InputError&) {
        return {};
    }
}

void require(bool holds, const char* what, const std::string& text) {
    if (holds) return;
    std::fprintf(stderr, "%s:\n", what);
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::exit(1);
}

}  // namespace

int main(int count, char** arguments) {
    const long rounds = count > 1 ? std::atol(arguments[1]) : 10000;
    std::mt19937_64 random(count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1);
    long refused = 0;
    for (long round = 0; round < rounds; ++round) {
        const Kind kind = static_cast<Kind>(random() % kinds);
        const Results results = random_results(random, kind == tab_kind);
        std::string text = written(kind, results, random);
        const auto found = attempt(kind, text, 1, TextLists::usual_chunk);
        require(found.has_value(), "the reader refuses", text);
        require(found == expected(results), "the readers disagree on", text);
        require(attempt(kind, text, 2, 1 + random() % 60) == found, "the chunks disagree on", text);
        for (std::size_t i = 1 + random() % 3; i > 0; --i) text[random() % text.size()] = static_cast<char>(random());
        if (random() % 4 == 0) text.resize(random() % text.size());
        if (text.empty()) continue;
        const auto damaged = attempt(kind, text, 1, TextLists::usual_chunk);
        const auto in_chunks = attempt(kind, text, 2, 1 + random() % 60);
        refused += !damaged.has_value();
        require(!damaged.has_value() || !in_chunks.has_value() || damaged == in_chunks, "the chunks differ on", text);
    }
    std::printf("%ld tables, %ld of them refused when damaged: the readers agree\n", rounds, refused);
}
