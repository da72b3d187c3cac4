#include <cstdlib>

#include "platform/portable.hpp"
#include "tables/arrow_column.hpp"

namespace medir {

namespace {

struct Simple {
    std::string_view format;
    ColumnKind kind;
    NumberKind number;
    const char* name;
};

constexpr Simple simple_types[] = {
    {"n", ColumnKind::nothing, {}, "null"},
    {"b", ColumnKind::boolean, {}, "bool"},
    {"c", ColumnKind::whole, NumberKind::i8, "int8"},
    {"C", ColumnKind::whole, NumberKind::u8, "uint8"},
    {"s", ColumnKind::whole, NumberKind::i16, "int16"},
    {"S", ColumnKind::whole, NumberKind::u16, "uint16"},
    {"i", ColumnKind::whole, NumberKind::i32, "int32"},
    {"I", ColumnKind::whole, NumberKind::u32, "uint32"},
    {"l", ColumnKind::whole, NumberKind::i64, "int64"},
    {"L", ColumnKind::whole, NumberKind::u64, "uint64"},
    {"e", ColumnKind::half, {}, "float16"},
    {"f", ColumnKind::single, {}, "float32"},
    {"g", ColumnKind::real, {}, "float64"},
    {"u", ColumnKind::text, {}, "string"},
    {"z", ColumnKind::text, {}, "binary"},
    {"U", ColumnKind::large_text, {}, "large_string"},
    {"Z", ColumnKind::large_text, {}, "large_binary"},
    {"vu", ColumnKind::text_view, {}, "string_view"},
    {"vz", ColumnKind::text_view, {}, "binary_view"},
    {"+l", ColumnKind::list, {}, "list"},
    {"+L", ColumnKind::large_list, {}, "large_list"},
    {"+vl", ColumnKind::list_view, {}, "list_view"},
    {"+vL", ColumnKind::large_list_view, {}, "large_list_view"},
    {"+s", ColumnKind::unknown, {}, "struct"},
    {"+m", ColumnKind::unknown, {}, "map"},
    {"+r", ColumnKind::unknown, {}, "run_end_encoded"},
    {"tdD", ColumnKind::unknown, {}, "date32"},
    {"tdm", ColumnKind::unknown, {}, "date64"},
};

std::size_t digits(std::string_view text) {
    std::size_t value = 0;
    from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

// `d:precision,scale` and perhaps `,bits`.
void read_decimal(std::string_view format, ArrowType& type) {
    const std::size_t comma = format.find(','), second = format.find(',', comma + 1);
    type.scale = std::atoi(std::string(format.substr(comma + 1)).c_str());
    const std::size_t bits = second == std::string_view::npos ? 128 : digits(format.substr(second + 1));
    type.width = bits / 8;
    type.kind = bits <= 128 ? ColumnKind::decimal : ColumnKind::unknown;
    type.name = std::string("decimal").append(std::to_string(bits));
}

}  // namespace

ArrowType::ArrowType(const ArrowSchema& schema) {
    const std::string_view format = schema.format;
    name = std::string(format);
    for (const Simple& type : simple_types)
        if (format == type.format) {
            kind = type.kind;
            number = type.number;
            name = type.name;
        }
    if (format.starts_with("d:")) read_decimal(format, *this);
    if (format.starts_with("w:")) {
        kind = ColumnKind::fixed_text;
        width = digits(format.substr(2));
        name = "fixed_size_binary";
    }
    if (format.starts_with("+w:")) {
        kind = ColumnKind::fixed_list;
        width = digits(format.substr(3));
        name = "fixed_size_list";
    }
    if (format.starts_with("ts")) name = "timestamp";
    if (is_list() && schema.n_children == 1) name.append("<").append(ArrowType(*schema.children[0]).name).append(">");
    if (schema.dictionary != nullptr) {
        const ArrowType values(*schema.dictionary);
        encoded = true;
        kind = values.is_id() ? values.kind : ColumnKind::unknown;
        name = std::string("dictionary<").append(values.name).append(">");
    }
}

}  // namespace medir
