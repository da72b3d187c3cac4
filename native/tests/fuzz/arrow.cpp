// Tables of Arrow: lists as the cells have them, whatever the types, and every structure released once.
#include <memory>

#include "arrow_cells.hpp"
#include "found_lists.hpp"
#include "plain_text.hpp"
#include "tables/packed_ranges.hpp"
#include "tables/table_lists.hpp"

namespace medir::fuzz {

namespace {

constexpr const char* id_formats[] = {"u", "z", "U", "Z", "vu", "vz", "w:3", "c",  "C",
                                      "s", "S", "i", "I", "l",  "L",  "D:u", "D:l"};
constexpr const char* number_formats[] = {"g", "f", "e", "b", "d:9,2", "d:9,2,32", "d:9,-1,64", "c",
                                          "C", "s", "S", "i", "I",     "l",        "L"};
constexpr const char* list_formats[] = {"+l", "+L", "+vl", "+vL", "+w:2"};
constexpr const char* texts[] = {"a",
                                 "b",
                                 "",
                                 "7",
                                 "-7",
                                 "ten bytes.",
                                 "twelve bytes",
                                 "thirteen byte",
                                 "\xff\xfe",
                                 "a text that is rather long, and thus in a buffer"};

// The types of a table: ids, documents, numbers; and lists of the latter two, where a row has lists.
struct Types {
    std::string query, document, number, documents, numbers;
    Values values;
    Order order;
    bool has_lists, has_numbers;
};

bool is_text(const std::string& format) {
    return std::string("uzUZvw").find(format[0]) != std::string::npos || format.starts_with("D:u");
}

Cell id_cell(const std::string& format, Choices& choices) {
    const std::size_t choice = choices.byte();
    Cell cell;
    cell.missing = choice == 255;
    if (is_text(format)) {
        cell.text = texts[choice % std::size(texts)];
        if (format == "w:3") cell.text = std::string(3, static_cast<char>('a' + choice % 5));
    } else {
        cell.number = static_cast<double>(choice % 5);
        cell.text = std::to_string(choice % 5);
    }
    return cell;
}

Cell number_cell(const std::string& format, Choices& choices) {
    const std::size_t choice = choices.byte();
    Cell cell{"", static_cast<double>(choice % 100), choice == 255};
    if (format == "g" || format == "f") cell.number = static_cast<double>(choice % 100) / 8 - 3;
    if (format == "g" && choice == 254) cell.number = std::nan("");
    if (format == "b") cell.number = static_cast<double>(choice % 2);
    if (format == "e") cell.number = halves[choice % std::size(halves)].value;
    if (format.starts_with("d:9,2")) cell.number = (static_cast<double>(choice % 100) - 50) / 100;
    if (format.starts_with("d:9,-1")) cell.number = (static_cast<double>(choice % 100) - 50) * 10;
    return cell;
}

Column number_column(const std::string& format, const Cells& cells, std::size_t skipped, Choices& choices) {
    const Column column = begin_column(format, cells, skipped, choices);
    const double unit = format.starts_with("d:9,-1") ? 10 : 0.01;
    const auto unscaled = [&](const Cell& cell) { return static_cast<std::int64_t>(std::lround(cell.number / unit)); };
    if (format == "g") {
        add_numbers<double>(*column, cells, skipped, [](const Cell& cell) { return cell.number; });
    } else if (format == "f") {
        add_numbers<float>(*column, cells, skipped, [](const Cell& cell) { return static_cast<float>(cell.number); });
    } else if (format == "e") {
        add_numbers<std::uint16_t>(*column, cells, skipped, [](const Cell& cell) {
            return std::find_if(std::begin(halves), std::end(halves),
                                [&](const HalfNumber& half) { return half.value == cell.number; })
                ->bits;
        });
    } else if (format == "b") {
        std::vector<std::uint8_t> bits((skipped + cells.size() + 7) / 8, 0);
        for (std::size_t i = 0; i < cells.size(); ++i)
            if (cells[i].number != 0) bits[(skipped + i) / 8] |= static_cast<std::uint8_t>(1u << (skipped + i) % 8);
        column->add(bits);
    } else if (format == "d:9,2") {
        struct Wide {
            explicit Wide(std::int64_t value) : low(value), high(value < 0 ? -1 : 0) {}
            std::int64_t low, high;
        };
        add_numbers<Wide>(*column, cells, skipped, [&](const Cell& cell) { return Wide(unscaled(cell)); });
    } else if (format == "d:9,2,32") {
        add_numbers<std::int32_t>(*column, cells, skipped,
                                  [&](const Cell& cell) { return static_cast<std::int32_t>(unscaled(cell)); });
    } else if (format == "d:9,-1,64") {
        add_numbers<std::int64_t>(*column, cells, skipped, unscaled);
    } else {
        add_wholes(*column, format[0], cells, skipped);
    }
    return column;
}

Column id_column(const std::string& format, const Cells& cells, std::size_t skipped, Choices& choices);

// The different cells once, and codes of a type.
Column dictionary_column(const std::string& format, const Cells& cells, std::size_t skipped, Choices& choices) {
    Cells values, codes;
    for (const Cell& cell : cells) {
        const auto same = [&](const Cell& other) { return other.text == cell.text; };
        const auto known = std::find_if(values.begin(), values.end(), same);
        codes.push_back({"", static_cast<double>(known - values.begin()), cell.missing});
        if (known == values.end()) {
            values.push_back(cell);
            values.back().missing = false;
        }
    }
    const char letter = format[3];
    const Column column = begin_column(std::string(1, letter), codes, skipped, choices);
    add_wholes(*column, letter, codes, skipped);
    column->dictionary = id_column(format.substr(2, 1), values, choices.below(2), choices);
    return column;
}

Column id_column(const std::string& format, const Cells& cells, std::size_t skipped, Choices& choices) {
    if (format.starts_with("D:")) return dictionary_column(format, cells, skipped, choices);
    const Column column = begin_column(format, cells, skipped, choices);
    if (format == "u" || format == "z") {
        add_texts<std::int32_t>(*column, cells, skipped);
    } else if (format == "U" || format == "Z") {
        add_texts<std::int64_t>(*column, cells, skipped);
    } else if (format[0] == 'v') {
        add_views(*column, cells, skipped, choices);
    } else if (format == "w:3") {
        std::vector<char> bytes(3 * skipped, 'x');
        for (const Cell& cell : cells) bytes.insert(bytes.end(), cell.text.begin(), cell.text.end());
        column->add(bytes);
    } else {
        add_wholes(*column, format[0], cells, skipped);
    }
    return column;
}

// Lists of so many elements each; `rows` says which of them are missing.
Column list_column(const std::string& format, const Cells& rows, const std::vector<std::size_t>& sizes,
                   const Column& elements, std::size_t skipped, Choices& choices) {
    const Column column = begin_column(format, rows, skipped, choices);
    std::size_t end = 0;
    std::vector<std::size_t> firsts(skipped, 0), ends(skipped, 0);
    for (const std::size_t size : sizes) {
        firsts.push_back(end);
        ends.push_back(end += size);
    }
    const auto add = [&]<class Offset>(Offset) {
        std::vector<Offset> starts(firsts.begin(), firsts.end()), lengths;
        for (std::size_t i = 0; i < firsts.size(); ++i) lengths.push_back(static_cast<Offset>(ends[i] - firsts[i]));
        if (format[1] != 'v') starts.push_back(static_cast<Offset>(end));
        column->add(starts);
        if (format[1] == 'v') column->add(lengths);
    };
    if (format == "+l" || format == "+vl") add(std::int32_t{});
    if (format == "+L" || format == "+vL") add(std::int64_t{});
    column->children = {elements};
    return column;
}

struct Table {
    std::vector<Column> batches;
    Found found;
    bool is_wrong = false;  // something is missing, or comes twice
};

void add_result(Table& table, const Types& types, const Cell& query, const Cell& document, const Cell& number) {
    table.is_wrong = table.is_wrong || query.missing || document.missing || number.missing || std::isnan(number.number);
    const double value = types.values == Values::scores ? single_precision(number.number) : number.number;
    table.found[query.text].emplace_back(document.text, value);
}

// One row per result.
std::vector<Column> rows_of_results(Table& table, const Types& types, std::size_t rows, std::size_t skipped,
                                    Choices& choices) {
    Cells queries, documents, numbers;
    for (std::size_t row = 0; row < rows; ++row) {
        const bool again = row > 0 && choices.below(3) > 0;
        queries.push_back(again ? queries.back() : id_cell(types.query, choices));
        documents.push_back(id_cell(types.document, choices));
        numbers.push_back(number_cell(types.number, choices));
        add_result(table, types, queries.back(), documents.back(), numbers.back());
    }
    return {id_column(types.query, queries, skipped, choices), id_column(types.document, documents, skipped, choices),
            number_column(types.number, numbers, skipped, choices)};
}

// One row per query, with lists.
std::vector<Column> rows_of_lists(Table& table, const Types& types, std::size_t rows, std::size_t skipped,
                                  Choices& choices) {
    Cells queries, present, documents, numbers;
    std::vector<std::size_t> sizes;
    const bool fixed = types.documents == "+w:2" || types.numbers == "+w:2";
    const std::size_t ahead = fixed ? 2 * skipped : 0;  // elements of rows that are left out
    for (std::size_t i = 0; i < ahead; ++i) {
        documents.push_back(id_cell(types.document, choices));
        numbers.push_back(number_cell(types.number, choices));
    }
    for (std::size_t row = 0; row < rows; ++row) {
        queries.push_back(id_cell(types.query, choices));
        table.is_wrong = table.is_wrong || queries.back().missing || table.found.contains(queries.back().text);
        table.found[queries.back().text];
        present.push_back({"", 0, choices.byte() == 255});
        table.is_wrong = table.is_wrong || present.back().missing;
        sizes.push_back(fixed ? 2 : choices.below(4));
        for (std::size_t i = 0; i < sizes.back(); ++i) {
            documents.push_back(id_cell(types.document, choices));
            numbers.push_back(number_cell(types.number, choices));
            add_result(table, types, queries.back(), documents.back(), numbers.back());
        }
    }
    const auto lists = [&](const std::string& format, const Column& elements) {
        return list_column(format, present, sizes, elements, skipped, choices);
    };
    return {id_column(types.query, queries, skipped, choices),
            lists(types.documents, id_column(types.document, documents, choices.below(2), choices)),
            lists(types.numbers, number_column(types.number, numbers, choices.below(2), choices))};
}

// A dictionary of texts or numbers has the type of its codes at the end.
std::string id_format(Choices& choices) {
    constexpr char letters[] = {'c', 'C', 's', 'S', 'i', 'I', 'l', 'L'};
    const std::string format = choices.one_of(id_formats);
    return format.starts_with("D:") ? format + choices.one_of(letters) : format;
}

Types types_of(Choices& choices) {
    Types types{id_format(choices),
                id_format(choices),
                choices.one_of(number_formats),
                choices.one_of(list_formats),
                "",
                Values::scores,
                Order::score,
                false,
                true};
    types.numbers = types.documents == "+w:2" ? types.documents : list_formats[choices.below(4)];
    types.has_lists = choices.flag();
    types.has_numbers = choices.below(4) > 0;
    if (choices.flag()) {
        types.values = Values::grades;
        types.order = Order::file;
    }
    if (!types.has_numbers) types.order = Order::file;
    return types;
}

Table table_of(const Types& types, Choices& choices) {
    Table table;
    for (std::size_t batches = 1 + choices.below(2); batches > 0; --batches) {
        const std::size_t rows = choices.below(5), skipped = choices.below(3), outer = choices.below(2);
        // Rows of the batch before its first are rows of its columns, too.
        auto columns = types.has_lists ? rows_of_lists(table, types, rows, skipped + outer, choices)
                                       : rows_of_results(table, types, rows, skipped + outer, choices);
        auto batch = std::make_shared<LentColumn>();
        batch->format = "+s";
        batch->length = static_cast<std::int64_t>(rows);
        batch->offset = static_cast<std::int64_t>(outer);
        batch->add_nothing();
        for (const Column& column : columns) column->offset -= static_cast<std::int64_t>(outer);
        batch->children = std::move(columns);
        table.batches.push_back(std::move(batch));
    }
    if (!types.has_numbers)
        for (auto& [query, results] : table.found)
            for (Result& result : results) result.second = 0;
    sort_results(table.found, types.order);
    return table;
}

// Lists of rows that were put aside by ranges of queries.
std::unique_ptr<TableLists> put_aside(const std::shared_ptr<ArrowTable>& table, const TableColumns& columns,
                                      const Types& types) {
    PackedRanges ranges(table, columns, types.values, Strings("7a", {1, 2}));
    const auto rows = std::make_shared<PackedBytes>(ranges.size());
    const auto ends = ranges.take(rows->data());
    require(ends.size() == 3 && ends.back() == rows->size() && ranges.size() == 0, "the ends of ranges");
    return std::make_unique<TableLists>(table, rows, columns, types.values, types.order);
}

}  // namespace

void try_input(std::string_view bytes) {
    Choices choices(bytes);
    const Types types = types_of(choices);
    const bool fails = choices.byte() == 255;
    Table table = table_of(types, choices);
    const long lent = LentColumn::lent;
    for (const bool aside : {false, true}) {
        const auto found = attempt([&] {
            ArrowArrayStream stream = LentStream::lend_all(table.batches, fails ? table.batches.size() : SIZE_MAX);
            auto read = std::make_shared<ArrowTable>("fuzz", stream);
            const std::optional<std::size_t> value = types.has_numbers ? std::optional<std::size_t>(2) : std::nullopt;
            const TableColumns columns{0, 1, value, {}};
            return aside ? put_aside(read, columns, types)
                         : std::make_unique<TableLists>(std::move(read), columns, types.values, types.order, 1);
        });
        require(LentColumn::lent == lent, "a structure that is not released");
        if (fails)
            require(!found, "a stream that fails");
        else if (!table.is_wrong)
            require(found == table.found, "the lists");
        else
            require(!found || !types.has_numbers, "a refusal");
    }
}

}  // namespace medir::fuzz
