// Columns of every type that ids, numbers and lists of them may have, with the cells that are in them.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "lent_columns.hpp"

namespace medir::fuzz {

using Column = std::shared_ptr<LentColumn>;

// A cell as a reader should find it.
struct Cell {
    std::string text;  // of ids
    double number = 0;
    bool missing = false;
};
using Cells = std::vector<Cell>;

struct HalfNumber {
    std::uint16_t bits;
    double value;
};
constexpr HalfNumber halves[] = {{0x0000, 0},
                                 {0x3c00, 1},
                                 {0xc000, -2},
                                 {0x3555, 1365.0 / 4096},
                                 {0x0001, 0x1p-24},
                                 {0x7bff, 65504},
                                 {0x7c00, std::numeric_limits<double>::infinity()},
                                 {0x83ff, -1023 * 0x1p-24}};

inline void add_presence(LentColumn& column, const Cells& cells, std::size_t skipped, Choices& choices) {
    std::vector<std::uint8_t> bits((skipped + cells.size() + 7) / 8, 0);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        column.missing += cells[i].missing;
        if (!cells[i].missing) bits[(skipped + i) / 8] |= static_cast<std::uint8_t>(1u << (skipped + i) % 8);
    }
    if (column.missing == 0 && choices.flag())
        column.add_nothing();
    else
        column.add(bits);
    if (column.missing > 0 && choices.flag()) column.missing = -1;  // not counted
}

inline Column begin_column(std::string format, const Cells& cells, std::size_t skipped, Choices& choices) {
    auto column = std::make_shared<LentColumn>();
    column->format = std::move(format);
    column->length = static_cast<std::int64_t>(cells.size());
    column->offset = static_cast<std::int64_t>(skipped);
    add_presence(*column, cells, skipped, choices);
    return column;
}

template <class Offset>
void add_texts(LentColumn& column, const Cells& cells, std::size_t skipped) {
    std::vector<Offset> ends(skipped + 1, 3);  // the first bytes belong to rows that are left out
    std::vector<char> bytes{'x', 'y', 'z'};
    for (const Cell& cell : cells) {
        bytes.insert(bytes.end(), cell.text.begin(), cell.text.end());
        ends.push_back(static_cast<Offset>(bytes.size()));
    }
    column.add(ends);
    column.add(bytes);
}

inline void add_views(LentColumn& column, const Cells& cells, std::size_t skipped, Choices& choices) {
    std::vector<char> views(16 * skipped, 0), buffers[2];
    const auto put = [&](std::size_t value) {
        const auto word = static_cast<std::uint32_t>(value);
        const char* bytes = reinterpret_cast<const char*>(&word);
        views.insert(views.end(), bytes, bytes + 4);
    };
    for (const Cell& cell : cells) {
        put(cell.text.size());
        if (cell.text.size() <= 12) {
            views.insert(views.end(), cell.text.begin(), cell.text.end());
            views.resize(views.size() + 12 - cell.text.size(), '\0');
        } else {
            const std::size_t number = choices.below(2);
            views.insert(views.end(), cell.text.begin(), cell.text.begin() + 4);
            put(number);
            put(buffers[number].size());
            buffers[number].insert(buffers[number].end(), cell.text.begin(), cell.text.end());
        }
    }
    column.add(views);
    for (const auto& buffer : buffers) column.add(buffer);
    column.add(std::vector<std::int64_t>{static_cast<std::int64_t>(buffers[0].size()),
                                         static_cast<std::int64_t>(buffers[1].size())});
}

// Numbers of one type, from what each cell has.
template <class Value, class Of>
void add_numbers(LentColumn& column, const Cells& cells, std::size_t skipped, Of of) {
    std::vector<Value> values(skipped, Value(7));
    for (const Cell& cell : cells) values.push_back(of(cell));
    column.add(values);
}

// The number of a letter of Arrow's formats of whole numbers; whether the number is of that type.
inline bool add_wholes(LentColumn& column, char letter, const Cells& cells, std::size_t skipped) {
    const auto add = [&]<class Value>(Value) {
        add_numbers<Value>(column, cells, skipped, [](const Cell& cell) { return static_cast<Value>(cell.number); });
        return true;
    };
    switch (letter) {
        case 'c':
            return add(std::int8_t{});
        case 'C':
            return add(std::uint8_t{});
        case 's':
            return add(std::int16_t{});
        case 'S':
            return add(std::uint16_t{});
        case 'i':
            return add(std::int32_t{});
        case 'I':
            return add(std::uint32_t{});
        case 'l':
            return add(std::int64_t{});
        case 'L':
            return add(std::uint64_t{});
    }
    return false;
}

}  // namespace medir::fuzz
