#include "drivers/rows.hpp"

#include <array>
#include <cmath>

#include "pairs/difference.hpp"

namespace medir {

namespace {

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
    char delimiter() const { return delimiter_of(format_); }

    RowFormat format_;
    std::vector<std::string> measures_;
};

}  // namespace

void write_rows(const Pairing& pairing, const std::vector<std::string>& measures, const double* values,
                RowFormat format, int threads, const Sink& sink) {
    const Writer writer(measures, format);
    sink(writer.header());
    const std::size_t queries = pairing.size();
    write_in_order(queries, threads, sink, [&](std::size_t i, std::string& text) {
        for (std::size_t m = 0; m < measures.size(); ++m) {
            std::array<double, difference_columns.size()> row;
            for (std::size_t c = 0; c < row.size(); ++c) row[c] = values[(m * row.size() + c) * queries + i];
            writer.append_row(text, pairing.query(i), m, row);
        }
    });
}

}  // namespace medir
