// Runs and judgments as delimited text whose first row names the columns: one row per result or judgment.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "texts/delimited_rows.hpp"
#include "texts/text_lists.hpp"

namespace medir {

// Which columns hold what, by position.
struct ListColumns {
    std::optional<std::size_t> query;
    std::size_t document;
    std::optional<std::size_t> number, intent;
};

class DelimitedLists final : public TextLists {
public:
    DelimitedLists(Text text, Delimiter delimiter, ListColumns columns, std::optional<Values> values, Order order,
                   int threads, Labels labels = {}, std::size_t chunk = usual_chunk);

    // The names of the columns.
    const std::vector<std::string>& names() const { return names_; }

protected:
    void parse(const Block& block, std::vector<Entry>& entries, Places* places) const override;
    void scan(Chunk& chunk) override;

private:
    // The cells of a row that count.
    struct Cells {
        Field query{}, document{}, number{}, intent{};
    };

    const char* read_header();
    const char* scan_plain(Chunk& chunk, const char* p) const;
    const char* scan_quoted(Chunk& chunk, const char* p) const;
    const char* read_cells(const char* p, Cells& cells) const;
    std::string_view cell(const Block& block, const Field& field, std::uint32_t& next) const;

    DelimitedRows reader_;
    ListColumns columns_;
    std::vector<std::string> names_;
    std::vector<Field Cells::*> wanted_;  // by column; null for those that do not count
};

}  // namespace medir
