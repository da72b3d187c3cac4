#include "rows.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace medir {

namespace {

constexpr std::array<std::string_view, 5> columns{"med", "gain", "loss", "lower", "gap"};

// The shortest digits that read back as the same number.
void append_number(std::string& out, double value) {
    char digits[32];
    const auto result = std::to_chars(digits, digits + sizeof digits, value == 0 ? 0.0 : value);
    out.append(digits, result.ptr);
}

// Quoted as RFC 4180 has it, where the text would otherwise be taken apart.
void append_field(std::string& out, std::string_view text, char delimiter) {
    const char special[] = {delimiter, '"', '\n', '\r', '\0'};
    if (!text.empty() && text.find_first_of(special) == std::string_view::npos) {
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

void append_json(std::string& out, std::string_view text) {
    out.push_back('"');
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out.push_back('\\');
            out.push_back(c);
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char code[8];
            std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
            out.append(code);
        } else {
            out.push_back(c);
        }
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
        for (const auto column : columns) text.append(1, delimiter()).append(column);
        return text + "\n";
    }

    void append_row(std::string& out, std::string_view query, std::size_t measure,
                    const std::array<double, columns.size()>& row) const {
        if (format_ == RowFormat::jsonl) {
            out.append("{\"query_id\": ");
            append_json(out, query);
            out.append(", \"measure\": ").append(measures_[measure]);
        } else {
            append_field(out, query, delimiter());
            out.push_back(delimiter());
            out.append(measures_[measure]);
        }
        std::size_t last = out.size(), last_size = 0;  // the text of the value before
        for (std::size_t c = 0; c < columns.size(); ++c) {
            if (format_ == RowFormat::jsonl)
                out.append(", \"").append(columns[c]).append("\": ");
            else
                out.push_back(delimiter());
            const std::size_t start = out.size();
            if (c > 0 && row[c] == row[c - 1])
                out.append(std::string(out, last, last_size));
            else
                append_number(out, row[c]);
            last = start;
            last_size = out.size() - start;
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
    constexpr std::size_t piece = 8192;
    const auto workers = static_cast<std::size_t>(threads);
    std::vector<std::string> texts(workers);
    for (std::size_t start = 0; start < queries; start += piece * workers) {
        parallel_blocks(workers, 1, threads, nullptr, [&](std::size_t part, std::size_t, int) {
            std::string& text = texts[part];
            text.clear();
            const std::size_t first = std::min(queries, start + part * piece), last = std::min(queries, first + piece);
            for (std::size_t i = first; i < last; ++i) {
                for (std::size_t m = 0; m < measures.size(); ++m) {
                    std::array<double, columns.size()> row;
                    for (std::size_t c = 0; c < row.size(); ++c)
                        row[c] = values[(m * row.size() + c) * queries + i];
                    writer.append_row(text, pairing.query(i), m, row);
                }
            }
        });
        for (const std::string& text : texts) sink(text);
    }
}

}  // namespace medir
