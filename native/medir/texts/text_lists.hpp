// Lists in text whose rows have named columns, whatever the syntax of a row.
//
// Reading has two passes, as for TREC text. The first finds the blocks of rows that belong to one query and remembers
// only where they are; the second, in read(), parses the rows of one query when it is asked for. So memory follows the
// number of queries, never the size of the file.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "lists/lists.hpp"

namespace medir {

// Texts that are declared as levels of grades, and the numbers that stand for them.
using Labels = std::vector<std::pair<std::string, double>>;

class TextLists : public Lists {
public:
    static constexpr std::size_t usual_chunk = 1 << 20;  // bytes that are scanned together

    std::size_t queries() const override { return first_blocks_.size(); }
    std::string_view query(std::size_t number) const override { return first_blocks_[number]->query; }
    void read(std::size_t query, std::vector<Entry>& entries) const override;
    bool tied(const Entry& one, const Entry& other) const override {
        return order_ != Order::file && one.value == other.value;
    }
    std::string_view intent(std::size_t query, const Entry& entry, std::size_t position) const override;
    void check_source() const override { text_.check(); }
    InputError error(std::size_t query, const Entry& entry, std::string problem, std::string remedy) const override;

    // How many results or judgments there are in all.
    std::size_t rows() const { return rows_; }

protected:
    // Rows of one query, one behind the other.
    struct Block {
        const char *begin, *end;
        std::string_view query;
        std::uint64_t rows;
        std::uint32_t hash;     // of the query
        std::uint32_t chunk;    // that it is in
        std::uint32_t respelt;  // the first of the chunk's respelt ids that it may hold
        Block* next = nullptr;  // further down in the text, of the same query
    };
    // An id that the text spells in another way, with escapes or quotes written twice.
    struct Respelt {
        const char* at;
        std::uint64_t first, size;  // in the bytes of the chunk
    };
    // What is scanned together.
    struct Chunk {
        const char *begin, *end;
        bool plain = false;  // ids are spelt in the text as they are
        std::vector<Block> blocks = {};
        std::deque<std::string> queries = {};  // respelt
        std::vector<Respelt> respelt = {};     // documents and intents, as they come
        std::string bytes = {};                // of them
        std::exception_ptr error = {};
    };
    // Where the row of a document is, and the intent that it is judged for.
    struct Place {
        const char *document, *row;
        std::string_view intent;
    };
    using Places = std::vector<Place>;

    // The query of all rows where they have none.
    static constexpr std::string_view all_rows = std::string_view("all\0\0\0\0\0\0\0", 3);  // words of bytes are read

    TextLists(Text text, std::optional<Values> values, Order order, Labels labels = {})
        : text_(std::move(text)), values_(values), order_(order), labels_(std::move(labels)) {}

    // Adds the entries of a block; where there are places, also those.
    virtual void parse(const Block& block, std::vector<Entry>& entries, Places* places) const = 0;
    // Finds the blocks of a chunk.
    virtual void scan(Chunk& chunk) = 0;
    // Where an error is about a row.
    virtual InputError row_error(const char* row, std::string problem, std::string remedy) const {
        return text_.error(row, std::move(problem), std::move(remedy));
    }

    // Scans the chunks between the cuts and numbers the queries. With intents, finds where each is.
    void scan_all(const std::vector<const char*>& cuts, bool intents, int threads);
    // Begins a block of a query at p, or goes on with the last one.
    void add_row(Chunk& chunk, const char* p, std::string_view query) const;
    // Begins a block that holds a whole list.
    void add_list(Chunk& chunk, const char* p, std::string_view query, std::uint64_t rows) const;
    // An error where a query has two blocks, for lists that are given whole.
    void refuse_repeated() const;
    // A query id that is not in the text as it is: that of the last block, or a copy that lives as long as the lists.
    static std::string_view kept_query(Chunk& chunk, std::string_view query);
    static void add_respelt(Chunk& chunk, const char* at, std::string_view spelling);
    // The respelt id at a place; `next` is the number of the first that may be it, and moves behind it.
    std::string_view respelt(const Block& block, const char* at, std::uint32_t& next) const;
    // Adds a document with a number.
    void add_ranked(std::string_view document, double value, const char* row, std::vector<Entry>& entries) const;
    // Adds a document with its number as it is written.
    void add(std::string_view document, std::string_view number, const char* row, std::vector<Entry>& entries) const;

    Text text_;
    std::optional<Values> values_;  // none: the order is that of the file
    Order order_;
    Labels labels_;

private:
    void index_queries();
    void find_intents();
    double number(std::string_view token, const char* row) const;
    double score(std::string_view token, const char* row) const;
    double rank(std::string_view token, const char* row) const;
    double grade(std::string_view token, const char* row) const;
    double words(std::string_view token, const char* row) const;

    std::vector<Chunk> chunks_;
    std::vector<Block*> first_blocks_;                                 // by query
    std::vector<std::pair<const char*, std::string_view>> intents_{};  // by document, in the order of addresses
    std::size_t rows_ = 0;
};

}  // namespace medir
