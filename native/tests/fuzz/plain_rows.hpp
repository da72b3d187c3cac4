// Rows of delimited text, character by character, with quotes as RFC 4180 has them.
#pragma once

#include "plain_text.hpp"

namespace medir::fuzz {

// A field in quotes that the rest of a line begins with, taken off it with the delimiter behind it; or nothing.
inline std::optional<std::string> take_quoted(std::string& rest, bool& more) {
    if (rest.empty() || rest[0] != '"') return {};
    std::string cell;
    for (std::size_t i = 1; i < rest.size(); ++i) {
        if (rest[i] != '"') {
            cell += rest[i];
        } else if (i + 1 < rest.size() && rest[i + 1] == '"') {
            cell += rest[i++];
        } else {
            const std::string left = rest.substr(i + 1);
            if (!left.empty() && left != "\r" && left[0] != '\t') return {};
            more = !left.empty() && left[0] == '\t';
            rest = more ? left.substr(1) : "";
            return cell;
        }
    }
    return {};
}

inline Row tab_cells(std::string line, bool with_quotes) {
    Row cells;
    for (bool more = true; more;) {
        more = false;
        if (auto quoted = with_quotes ? take_quoted(line, more) : std::nullopt) {
            cells.push_back(*quoted);
            continue;
        }
        const auto tab = line.find('\t');
        std::string cell = line.substr(0, tab);
        more = tab != std::string::npos;
        if (!more && !cell.empty() && cell.back() == '\r') cell.pop_back();
        cells.push_back(cell);
        line = more ? line.substr(tab + 1) : "";
    }
    return cells;
}

// Rows of comma-separated text; nothing where quotes are wrong.
inline std::optional<Rows> comma_rows(const std::string& text) {
    enum { start, plain, quoted, closed } state = start;
    Rows rows(1, Row(1));
    const auto end_row = [&] {
        if (state == plain && !rows.back().back().empty() && rows.back().back().back() == '\r')
            rows.back().back().pop_back();
        if (rows.back() == Row{""} && state != closed) rows.pop_back();  // an empty line
        rows.emplace_back(1);
        state = start;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        std::string& cell = rows.back().back();
        if (state == quoted) {
            if (c != '"') {
                cell += c;
            } else if (i + 1 < text.size() && text[i + 1] == '"') {
                cell += text[i++];
            } else {
                state = closed;
            }
        } else if (c == '\n') {
            end_row();
        } else if (c == ',') {
            rows.back().emplace_back();
            state = start;
        } else if (state == closed) {
            if (c != '\r' || (i + 1 < text.size() && text[i + 1] != '\n')) return {};
        } else if (c == '"') {
            if (state == plain) return {};
            state = quoted;
        } else {
            cell += c;
            state = plain;
        }
    }
    if (state == quoted) return {};
    end_row();
    rows.pop_back();
    return rows;
}

// Rows of tab-separated text: a row is a line.
inline Rows tab_rows(const std::string& text) {
    Rows rows;
    for (const std::string& line : lines_of(text))
        if (!line.empty() && line != "\r") rows.push_back(tab_cells(line, true));
    return rows;
}

}  // namespace medir::fuzz
