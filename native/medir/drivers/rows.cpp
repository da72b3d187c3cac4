#include "drivers/rows.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <mutex>

#include "base/parallel.hpp"

namespace medir {

namespace {

constexpr std::array<std::string_view, 5> columns{"med", "gain", "loss", "lower", "gap"};

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
        Number number;
        for (std::size_t c = 0; c < columns.size(); ++c) {
            if (format_ == RowFormat::jsonl)
                out.append(", \"").append(columns[c]).append("\": ");
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
                std::array<double, columns.size()> row;
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
