#include "drivers/rows.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <mutex>

#include "base/parallel.hpp"
#include "pairs/difference.hpp"

namespace medir {

namespace {

// The shortest digits that read back as the same number. Neighbours are often equal, so the last text is kept.
class Number {
public:
    std::string_view text(double value) {
        if (value != value_ || size_ == 0) {
            value_ = value;
            size_ = static_cast<std::size_t>(
                std::to_chars(digits_, digits_ + sizeof digits_, value == 0 ? 0.0 : value).ptr - digits_);
        }
        return {digits_, size_};
    }

private:
    double value_ = 0;
    std::size_t size_ = 0;
    char digits_[32];
};

// Quoted as RFC 4180 has it, where the text would otherwise be taken apart.
void append_field(std::string& out, std::string_view text, char delimiter) {
    const auto special = [delimiter](char c) { return c == delimiter || c == '"' || c == '\n' || c == '\r'; };
    if (!text.empty() && std::none_of(text.begin(), text.end(), special)) {
        out.append(text);
        return;
    }
    out.push_back('"');
    for (const char c : text) {
        if (c == '"') out.push_back('"');
        out.push_back(c);
    }
    out.push_back('"');
}

// How many bytes a character of UTF-8 has at the start of the text; 0 where there is none.
std::size_t character_size(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const auto continues = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
    const unsigned first = byte(0), second = byte(1);
    if (first < 0x80) return 1;
    if (first < 0xc2 || first > 0xf4 || !continues(1)) return 0;
    if (first < 0xe0) return 2;
    if (!continues(2)) return 0;
    if (first == 0xe0 && second < 0xa0) return 0;  // would fit into fewer bytes
    if (first == 0xed && second > 0x9f) return 0;  // a surrogate
    if (first < 0xf0) return 3;
    if (first == 0xf0 && second < 0x90) return 0;
    if (first == 0xf4 && second > 0x8f) return 0;  // beyond the last character
    return continues(3) ? 4 : 0;
}

void append_escaped(std::string& out, const char* format, char c) {
    char code[8];
    std::snprintf(code, sizeof code, format, static_cast<unsigned>(static_cast<unsigned char>(c)));
    out.append(code);
}

// JSON is UTF-8: a byte that is not becomes the text \xNN, as Python's backslashreplace shows it.
void append_json(std::string& out, std::string_view text) {
    out.push_back('"');
    while (!text.empty()) {
        const std::size_t size = character_size(text);
        const char c = text.front();
        if (size == 0) {
            append_escaped(out, "\\\\x%02x", c);
        } else if (c == '"' || c == '\\') {
            out.push_back('\\');
            out.push_back(c);
        } else if (static_cast<unsigned char>(c) < 0x20) {
            append_escaped(out, "\\u%04x", c);
        } else {
            out.append(text.substr(0, size));
        }
        text.remove_prefix(std::max<std::size_t>(size, 1));
    }
    out.push_back('"');
}

class Writer {
public:
    Writer(const std::vector<std::string>& measures, RowFormat format) : format_(format) {
        for (const std::string& measure : measures) {
            std::string& text = measures_.emplace_back();
            if (format_ == RowFormat::jsonl)
                append_json(text, measure);
            else
                append_field(text, measure, delimiter());
        }
    }

    std::string header() const {
        if (format_ == RowFormat::jsonl) return "";
        std::string text = "query_id";
        text.append(1, delimiter()).append("measure");
        for (const auto column : difference_columns) text.append(1, delimiter()).append(column);
        return text + "\n";
    }

    void append_row(std::string& out, std::string_view query, std::size_t measure,
                    const std::array<double, difference_columns.size()>& row) const {
        if (format_ == RowFormat::jsonl) {
            out.append("{\"query_id\": ");
            append_json(out, query);
            out.append(", \"measure\": ").append(measures_[measure]);
        } else {
            append_field(out, query, delimiter());
            out.push_back(delimiter());
            out.append(measures_[measure]);
        }
        Number number;
        for (std::size_t c = 0; c < difference_columns.size(); ++c) {
            if (format_ == RowFormat::jsonl)
                out.append(", \"").append(difference_columns[c]).append("\": ");
            else
                out.push_back(delimiter());
            if (!std::isnan(row[c]))
                out.append(number.text(row[c]));
            else if (format_ == RowFormat::jsonl)
                out.append("null");
        }
        out.append(format_ == RowFormat::jsonl ? "}\n" : "\n");
    }

private:
    char delimiter() const { return format_ == RowFormat::tsv ? '\t' : ','; }

    RowFormat format_;
    std::vector<std::string> measures_;
};

}  // namespace

void write_rows(const Pairing& pairing, const std::vector<std::string>& measures, const double* values,
                RowFormat format, int threads, const std::function<void(std::string_view)>& sink) {
    const Writer writer(measures, format);
    sink(writer.header());
    const std::size_t queries = pairing.size();
    std::mutex guard;
    std::condition_variable turn;
    std::size_t written = 0;
    bool failed = false;
    // While one thread hands over its piece, the others go on with theirs.
    std::vector<std::string> texts(static_cast<std::size_t>(threads));
    parallel_blocks(queries, 4096, threads, nullptr, [&](std::size_t first, std::size_t last, int thread) {
        std::string& text = texts[static_cast<std::size_t>(thread)];
        text.clear();
        for (std::size_t i = first; i < last; ++i) {
            for (std::size_t m = 0; m < measures.size(); ++m) {
                std::array<double, difference_columns.size()> row;
                for (std::size_t c = 0; c < row.size(); ++c) row[c] = values[(m * row.size() + c) * queries + i];
                writer.append_row(text, pairing.query(i), m, row);
            }
        }
        std::unique_lock lock(guard);
        turn.wait(lock, [&] { return failed || written == first; });
        if (failed) return;
        try {
            sink(text);
        } catch (...) {
            failed = true;
            turn.notify_all();
            throw;
        }
        written = last;
        turn.notify_all();
    });
}

}  // namespace medir
