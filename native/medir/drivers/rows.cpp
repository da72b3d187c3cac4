#include "drivers/rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

#include "pairs/difference.hpp"
#include "platform/portable.hpp"

namespace medir {

namespace {

// Appends the fields of rows, one after the other.
class Row {
public:
    Row(std::string& out, const RowLayout& layout) : out_(out), layout_(layout), is_json_(layout.is_json()) {}

    void text(std::string_view name, std::string_view value) {
        if (!is_json_ && value.size() <= short_text && is_plain_field(value, layout_))
            return gather(value, value.size());
        begin(name);
        if (is_json_)
            append_json(out_, value);
        else
            append_field(out_, value, layout_);
    }
    // Nothing where the table has no cell.
    void cell(std::string_view name, std::string_view value) {
        if (value.empty())
            missing(name);
        else
            text(name, value);
    }
    void missing(std::string_view name) {
        if (is_json_) {
            begin(name);
            out_.append("null");
        } else {
            begin_gathered();
        }
    }
    void number(std::string_view name, double value) {
        if (std::isnan(value)) return missing(name);
        digits(name, value == 0 ? zero : number_.text(value));
    }
    void count(std::string_view name, std::uint32_t value) {
        if (is_json_) {
            begin(name);
            char text[Number::room];
            out_.append(text, to_chars(text, std::end(text), value).ptr);
        } else {
            char* const first = begin_gathered();
            gathered_ += static_cast<std::size_t>(to_chars(first, first + Number::room, value).ptr - first);
        }
    }
    void end() {
        if (is_json_) {
            out_.append("}\n");
        } else {
            if (gathered_ == sizeof fields_) flush();
            fields_[gathered_++] = '\n';
            flush();
        }
        first_ = true;
    }

private:
    static constexpr std::string_view zero = std::string_view("0                               ", 1);
    static_assert(Number::room <= 32);
    static constexpr std::size_t short_text = 64;

    // With room behind the text.
    void digits(std::string_view name, std::string_view text) {
        if (!is_json_) return gather(text, Number::room);
        begin(name);
        out_.append(text);
    }
    // Fields of delimited text are short, and many: they are gathered and appended at once. `copied` bytes can be read.
    void gather(std::string_view text, std::size_t copied) {
        std::memcpy(begin_gathered(), text.data(), copied);
        gathered_ += text.size();
    }
    // Where there is room for the text of a field.
    char* begin_gathered() {
        if (gathered_ + 1 + std::max(short_text, Number::room) > sizeof fields_) flush();
        fields_[gathered_] = layout_.delimiter();
        gathered_ += !first_;
        first_ = false;
        return fields_ + gathered_;
    }
    void flush() {
        out_.append(fields_, gathered_);
        gathered_ = 0;
    }
    void begin(std::string_view name) {
        if (is_json_) {
            out_.append(first_ ? "{" : ", ");
            append_json(out_, name);
            out_.append(": ");
        } else if (!first_) {
            flush();
            out_.push_back(layout_.delimiter());
        }
        first_ = false;
    }

    std::string& out_;
    const RowLayout layout_;
    const bool is_json_;
    bool first_ = true;
    Number number_;
    char fields_[512];
    std::size_t gathered_ = 0;
};

std::string header(const Compared& compared, const RowLayout& layout) {
    std::string text;
    if (layout.is_json()) return text;
    Row row(text, layout);
    row.text("", "query_id");
    row.text("", "measure");
    for (const auto name : difference_columns) row.text("", name);
    row.text("", rank_column);
    for (const auto name : change_columns) row.text("", name);
    if (compared.table != nullptr)
        for (const std::string& name : compared.table->table().columns()) row.text("", name);
    row.end();
    return text;
}

void append_rows(const Compared& compared, std::size_t query, std::string& out, const RowLayout& layout) {
    const std::size_t queries = compared.pairing.size();
    std::string room;
    Row row(out, layout);
    for (std::size_t m = 0; m < compared.measures.size(); ++m) {
        row.text("query_id", compared.pairing.query(query));
        row.text("measure", compared.measures[m]);
        const double* value = compared.values + m * difference_columns.size() * queries + query;
        const double first = *value;
        for (const auto name : difference_columns) {
            row.number(name, compared.of_ranks[m] ? std::nan("") : *value);
            value += queries;
        }
        row.number(rank_column, compared.of_ranks[m] ? first : std::nan(""));
        const std::uint32_t* change = compared.changes + m * change_columns.size() * queries + query;
        for (const auto name : change_columns) {
            row.count(name, *change);
            change += queries;
        }
        if (compared.table != nullptr) {
            const auto& names = compared.table->table().columns();
            for (std::size_t c = 0; c < names.size(); ++c) row.cell(names[c], compared.table->cell(query, c, room));
        }
        row.end();
    }
}

}  // namespace

void write_rows(const Compared& compared, const RowLayout& layout, int threads, const Sink& sink) {
    sink(header(compared, layout));
    write_in_order(compared.pairing.size(), threads, sink,
                   [&](std::size_t query, std::string& text) { append_rows(compared, query, text, layout); });
    compared.pairing.check_sources();
    if (compared.table != nullptr) compared.table->table().check_source();
}

}  // namespace medir
