// Throws mutated TREC text at the reader, built with the address and undefined behaviour sanitizers.
//
// Whatever the bytes, reading ends in an InputError or in exactly the entries that a plain reader finds, and no byte
// outside the text and its padding is touched. Usage: fuzz_trec ROUNDS [SEED]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

#include "lists/lengths.hpp"
#include "texts/trec.hpp"
#include "trails/passages.hpp"
#include "trails/weighing.hpp"

using namespace medir;

namespace {

using Result = std::pair<std::string, float>;  // document, score
using Run = std::map<std::string, std::vector<Result>>;

const std::string pieces[] = {"q1",
                              "q2",
                              "query-number-3",
                              "q0000004",
                              "Q0",
                              "0",
                              "d",
                              "d1234567",
                              "d12345678",
                              "a-rather-long-document-identifier-that-fills-words",
                              "1",
                              "20",
                              "3.14159",
                              "12.5",
                              "0.967601",
                              "-2.5",
                              "+7",
                              "1e-3",
                              "1.5E2",
                              "inf",
                              "-inf",
                              "nan",
                              "x",
                              "123456.7",
                              "1234567",
                              ".5",
                              "5.",
                              "..",
                              "99999999999999999999",
                              "0x10",
                              "tag",
                              "\xc3\xa9",
                              "\xff\xfe",
                              " ",
                              "  ",
                              "\t",
                              "\n",
                              "\n",
                              "\n",
                              "\r\n",
                              "#",
                              "# comment\n",
                              std::string(1, '\0'),
                              "\v"};

std::string random_text(std::mt19937_64& random) {
    std::string text;
    const std::size_t lines = random() % 12;
    for (std::size_t line = 0; line < lines; ++line) {
        if (random() % 8 == 0) {
            for (std::size_t i = 0; i < random() % 10; ++i) text += pieces[random() % std::size(pieces)];
        } else if (random() % 8 == 0) {  // a passage
            text += "q" + std::to_string(random() % 3) + " d" + std::to_string(random() % 100) + " 1 2.5 " +
                    std::to_string(random()).substr(0, random() % 20) + (random() % 9 ? " " : " -") +
                    std::to_string(random()).substr(0, 1 + random() % 19) + " tag";
        } else {
            text += "q" + std::to_string(random() % 3) + (random() % 4 ? " " : "\t") + "Q0 d" +
                    std::to_string(random() % 100000) + (random() % 3 ? "" : std::string(random() % 40, 'x')) + " 1 " +
                    std::to_string(static_cast<double>(random() % 1000000) / 1000).substr(0, 1 + random() % 9) + " tag";
        }
        if (random() % 10 != 0) text += random() % 8 ? "\n" : "\r\n";
    }
    for (std::size_t change = random() % 4; change > 0 && !text.empty() && random() % 3 == 0; --change)
        text[random() % text.size()] = static_cast<char>(random());
    return text;
}

// What the text holds by the plainest of readers, or nothing where a line is wrong or all of them hold passages.
std::optional<Run> plain_read(const std::string& text) {
    Run run;
    std::string line;
    std::set<std::string> second_columns;
    bool extents = true;  // the fifth and sixth column are whole numbers
    for (std::istringstream lines(text); std::getline(lines, line);) {
        std::vector<std::string> columns;
        std::string column;
        for (const char c : line + " ") {
            if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
                if (!column.empty()) columns.push_back(std::exchange(column, ""));
            } else {
                column += c;
            }
        }
        if (columns.empty() || columns[0][0] == '#') continue;
        for (std::size_t c = 0; c < std::min<std::size_t>(6, columns.size()); ++c)
            if (std::any_of(columns[c].begin(), columns[c].end(), [](unsigned char b) { return b < 0x20; })) return {};
        if (columns.size() < 6) return {};
        second_columns.insert(columns[1]);
        for (const std::string& extent : {columns[4], columns[5]})
            extents = extents && extent.find_first_not_of("0123456789") == std::string::npos;
        std::string& number = columns[4];
        if (number.find_first_of("xXpP(") != std::string::npos) return {};
        if (number.size() > 1 && number[0] == '+' && (number[1] == '+' || number[1] == '-')) return {};
        char* end = nullptr;
        const double score = std::strtod(number.c_str(), &end);
        if (end != number.c_str() + number.size() || score != score) return {};
        run[columns[0]].emplace_back(columns[2], static_cast<float>(score));
    }
    if (run.empty() || (extents && second_columns.size() > 1)) return {};
    for (auto& [query, results] : run)
        std::stable_sort(results.begin(), results.end(), [](const Result& a, const Result& b) {
            return a.second != b.second ? a.second > b.second : a.first > b.first;
        });
    return run;
}

std::optional<Run> read(Text text, int threads) {
    try {
        const TrecRun lists(std::move(text), Order::score, threads);
        Run run;
        std::vector<Entry> entries;
        for (std::size_t query = 0; query < lists.queries(); ++query) {
            lists.read(query, entries);
            auto& results = run[std::string(lists.query(query))];
            for (const Entry& entry : entries)
                results.emplace_back(std::string(entry.document()), static_cast<float>(entry.value));
        }
        return run;
    } catch (const InputError&) {
        return {};
    }
}

// Cut to the first two columns here and there, as lengths have them.
std::string lines_of_two(const std::string& text) {
    std::string lines, line;
    for (std::istringstream all(text); std::getline(all, line);) {
        const auto number = line.rfind(" tag");
        const auto start = line.rfind(' ', number == std::string::npos ? number : number - 1);
        const bool cut = number != std::string::npos && start != std::string::npos;
        lines += (cut ? line.substr(0, 2) + line.substr(start, number - start) : line) + "\n";
    }
    return lines;
}

// The passages of a query against those of the first: whatever comes, the values make sense.
void weigh(const TrecPassages& passages, std::size_t query) {
    const UMeasure characters(TrailDiscount::linear, 1000, 1);
    const TimeBiasedTrail seconds(224, 25);
    Trailtexts trails;
    Weighing weighing;
    for (const bool closed : {false, true}) {
        const Scope scope{
            1000, std::numeric_limits<double>::infinity(), closed, {UnseenRule::automatic, {1 + query % 3, 2}}};
        trails.lay_out({Trailtexts::Source{&passages, 0}, Trailtexts::Source{&passages, query}}, {&passages, query},
                       scope, false);
        for (const TrailMeasure* measure : std::initializer_list<const TrailMeasure*>{&characters, &seconds}) {
            weighing.weigh(trails, *measure);
            const Difference row = weighing.difference();
            if (!(0 <= row.lower && row.lower <= row.med && row.med < 400)) {
                std::fprintf(stderr, "med %g, lower %g\n", row.med, row.lower);
                std::exit(1);
            }
        }
    }
}

void fail(const std::string& text) {
    std::fprintf(stderr, "the readers disagree on:\n");
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::exit(1);
}

}  // namespace

int main(int count, char** arguments) {
    const long rounds = count > 1 ? std::atol(arguments[1]) : 10000;
    std::mt19937_64 random(count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1);
    const std::string path = "/tmp/medir-fuzz-" + std::to_string(::getpid());
    long readable = 0;
    for (long round = 0; round < rounds; ++round) {
        const std::string text = random_text(random);
        const auto expected = plain_read(text);
        readable += expected.has_value();
        if (read(Text::copy("fuzz", text), 1) != expected) fail(text);
        if (round % 16 == 0) {
            std::ofstream(path, std::ios::binary) << text;
            if (read(Text::map(path), 2) != expected) fail(text);
        }
        try {  // judgments: whatever comes, without harm
            const TrecQrels qrels(Text::copy("fuzz", text), 1);
            qrels.check(1);
        } catch (const InputError&) {
        }
        try {  // lengths likewise
            const Lengths lengths(Text::copy("fuzz", lines_of_two(text)), Lengths::unknown);
        } catch (const InputError&) {
        }
        for (const PassageLayout layout : {PassageLayout::run, PassageLayout::gold}) {  // passages: likewise
            try {
                const TrecPassages passages(Text::copy("fuzz", text), layout, Order::score, 1);
                for (std::size_t query = 0; query < passages.queries(); ++query) weigh(passages, query);
            } catch (const InputError&) {
            }
        }
    }
    std::remove(path.c_str());
    std::printf("%ld texts, %ld of them readable: the readers agree\n", rounds, readable);
}
