#include "drivers/rows.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <iterator>
#include <span>

#include "pairs/difference.hpp"
#include "platform/portable.hpp"

namespace medir {

namespace {

constexpr std::array rank_columns{rank_column};

// What a row has in columns that lie one behind the other.
template <class Value>
struct Column {
    const Value* first;
    std::size_t step;

    Value operator[](std::size_t i) const { return first[i * step]; }
};

// The fields of rows as delimited text, one after the other. Behind every text there is room for the numbers of a row.
class DelimitedRow {
public:
    using Text = GrowingText;

    DelimitedRow(Text& out, const RowLayout& layout) : out_(out), layout_(layout), p_(out.end(room)) {}

    static std::string field_of(std::string_view text, const RowLayout& layout) {
        std::string field;
        append_field(field, text, layout);
        return field;
    }

    void text(std::string_view name, std::string_view value) {
        if (is_plain_field(value, layout_))
            field(name, value);
        else
            field(name, field_of(value, layout_));
    }
    // A text that is a field already.
    void field(std::string_view, std::string_view field) {
        out_.end_at(p_);
        p_ = out_.end(field.size() + room);
        std::memcpy(p_, field.data(), field.size());
        p_ += field.size();
        *p_++ = delimiter_;
    }
    // Nothing where the table has no cell.
    void cell(std::string_view name, std::string_view value) { value.empty() ? field(name, value) : text(name, value); }
    void numbers(std::span<const std::string_view> names, Column<double> values) {
        char* p = p_;
        std::size_t i = 0;
        for (; i + 4 <= names.size(); i += 4) {  // mostly med, gain, loss and lower are equal, and the others zero
            const double a = values[i], b = values[i + 1], c = values[i + 2], d = values[i + 3];
            if ((a == b) & (b == c) & (c == d)) {
                const std::string_view digits = number_.text(a);
                for (int time = 0; time < 4; ++time) p = append(digits, p);
            } else {
                for (const double value : {a, b, c, d}) p = append(value, p);
            }
        }
        for (; i < names.size(); ++i) p = append(values[i], p);
        p_ = p;
    }
    void counts(std::span<const std::string_view> names, Column<std::uint32_t> values) {
        char* p = p_;
        for (std::size_t i = 0; i < names.size(); ++i) {
            const std::uint32_t value = values[i];
            if (value < small) {
                std::memcpy(p, digits_of_small.data() + 2 * value, 2);
                p += value < 10 ? 1 : 2;
            } else {
                p = to_chars(p, p + Number::room, value).ptr;
            }
            *p++ = delimiter_;
        }
        p_ = p;
    }
    void missing(std::span<const std::string_view> names) {
        for (std::size_t i = 0; i < names.size(); ++i) *p_++ = delimiter_;
    }
    void end() {
        p_[-1] = '\n';
        out_.end_at(p_);
    }

private:
    static constexpr std::size_t most = difference_columns.size() + 1 + change_columns.size();
    static constexpr std::size_t room = 1 + most * (Number::room + 1);
    static constexpr std::string_view nothing{"                                ", 0};
    static_assert(Number::room <= 32);
    static constexpr std::uint32_t small = 100;
    static constexpr auto digits_of_small = [] {
        std::array<char, 2 * small> digits{};
        for (std::size_t i = 0; i < small; ++i) {
            digits[2 * i] = static_cast<char>('0' + (i < 10 ? i : i / 10));
            digits[2 * i + 1] = static_cast<char>('0' + i % 10);
        }
        return digits;
    }();

    char* append(double value, char* p) { return append(std::isnan(value) ? nothing : number_.text(value), p); }
    char* append(std::string_view digits, char* p) const {
        std::memcpy(p, digits.data(), Number::room);
        p[digits.size()] = delimiter_;
        return p + digits.size() + 1;
    }

    Text& out_;
    const RowLayout layout_;
    const char delimiter_ = layout_.delimiter();
    char* p_;
    Number number_;
};

// The same as an object of JSON.
class JsonRow {
public:
    using Text = std::string;

    JsonRow(Text& out, const RowLayout&) : out_(out) {}

    static std::string field_of(std::string_view text, const RowLayout&) {
        std::string field;
        append_json(field, text);
        return field;
    }

    void text(std::string_view name, std::string_view value) {
        begin(name);
        append_json(out_, value);
    }
    void field(std::string_view name, std::string_view field) {
        begin(name);
        out_.append(field);
    }
    void cell(std::string_view name, std::string_view value) {
        value.empty() ? field(name, "null") : text(name, value);
    }
    void numbers(std::span<const std::string_view> names, Column<double> values) {
        for (std::size_t i = 0; i < names.size(); ++i)
            field(names[i], std::isnan(values[i]) ? std::string_view("null") : number_.text(values[i]));
    }
    void counts(std::span<const std::string_view> names, Column<std::uint32_t> values) {
        for (std::size_t i = 0; i < names.size(); ++i) {
            char digits[Number::room];
            field(names[i], {digits, to_chars(digits, std::end(digits), values[i]).ptr});
        }
    }
    void missing(std::span<const std::string_view> names) {
        for (const std::string_view name : names) field(name, "null");
    }
    void end() { out_.append("}\n"); }

private:
    void begin(std::string_view name) {
        out_.append(first_ ? "{" : ", ");
        first_ = false;
        append_json(out_, name);
        out_.append(": ");
    }

    Text& out_;
    bool first_ = true;
    Number number_;
};

std::string header(const Compared& compared, const RowLayout& layout) {
    if (layout.is_json()) return {};
    GrowingText text;
    DelimitedRow row(text, layout);
    row.text("", "query_id");
    row.text("", "measure");
    for (const auto name : difference_columns) row.text("", name);
    row.text("", rank_column);
    for (const auto name : change_columns) row.text("", name);
    if (compared.table != nullptr)
        for (const std::string& name : compared.table->table().columns()) row.text("", name);
    row.end();
    return std::string(std::string_view(text));
}

template <class Row>
void append_cells(const QueryRows& table, std::size_t query, Row& row) {
    const std::vector<std::string>& names = table.table().columns();
    std::string room;
    for (std::size_t c = 0; c < names.size(); ++c) row.cell(names[c], table.cell(query, c, room));
}

// The values of one measure.
struct MeasureRows {
    std::string name;  // a field already
    bool of_ranks;
    const double* values;
    const std::uint32_t* changes;
};

template <class Row>
std::vector<MeasureRows> rows_of(const Compared& compared, const RowLayout& layout) {
    const std::size_t queries = compared.pairing.size();
    std::vector<MeasureRows> rows;
    for (std::size_t m = 0; m < compared.measures.size(); ++m)
        rows.push_back({Row::field_of(compared.measures[m], layout), compared.of_ranks[m],
                        compared.values + m * difference_columns.size() * queries,
                        compared.changes + m * change_columns.size() * queries});
    return rows;
}

template <class Row>
void write_rows_as(const Compared& compared, const RowLayout& layout, int threads, const Sink& sink) {
    const auto measures = rows_of<Row>(compared, layout);
    const std::size_t queries = compared.pairing.size();
    write_in_order<typename Row::Text>(queries, threads, sink, [&](std::size_t query, typename Row::Text& text) {
        for (const MeasureRows& measure : measures) {
            Row row(text, layout);
            row.text("query_id", compared.pairing.query(query));
            row.field("measure", measure.name);
            const Column<double> values{measure.values + query, queries};
            if (measure.of_ranks) {
                row.missing(difference_columns);
                row.numbers(rank_columns, values);
            } else {
                row.numbers(difference_columns, values);
                row.missing(rank_columns);
            }
            row.counts(change_columns, {measure.changes + query, queries});
            if (compared.table != nullptr) append_cells(*compared.table, query, row);
            row.end();
        }
    });
}

}  // namespace

void write_rows(const Compared& compared, const RowLayout& layout, int threads, const Sink& sink) {
    sink(header(compared, layout));
    layout.is_json() ? write_rows_as<JsonRow>(compared, layout, threads, sink)
                     : write_rows_as<DelimitedRow>(compared, layout, threads, sink);
    compared.pairing.check_sources();
    if (compared.table != nullptr) compared.table->table().check_source();
}

}  // namespace medir
