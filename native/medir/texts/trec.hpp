// TREC text: runs (`query Q0 document rank score tag`) and judgments (`query 0 document grade`).
//
// Reading has two passes. The first finds the blocks of lines that belong to one query and remembers only where they
// are (texts/query_blocks.hpp); it ends in the constructor, and may have begun before. The second, in read(), parses
// the lines of one query when it is asked for. So memory follows the number of queries, never the size of the file.
// Of a run that was read together with another (texts/paired_blocks.hpp), nobody asks for them who compares by rank.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "lists/lists.hpp"
#include "texts/query_blocks.hpp"

namespace medir {

class TrecLists : public Lists {
public:
    TrecLists(Text text, int threads) : TrecLists(std::make_shared<QueryBlocks>(std::move(text)), threads) {}
    // Blocks that others may have begun to look for.
    TrecLists(std::shared_ptr<QueryBlocks> blocks, int threads);

    std::size_t queries() const override { return first_blocks_.size(); }
    std::string_view query(std::size_t number) const override { return id(*first_blocks_[number]); }
    std::uint32_t find(std::string_view id) const override;
    const void* same_queries() const override { return has_whole_blocks_ ? blocks_->same_queries() : nullptr; }
    void read(std::size_t query, std::vector<Entry>& entries) const override;
    std::string_view intent(std::size_t, const Entry&, std::size_t) const override { return {}; }
    void check_source() const override { text_.check(); }
    InputError error(std::size_t query, const Entry& entry, std::string problem, std::string remedy) const override;
    // How many lines have more columns than they should, of those that were read.
    std::size_t long_lines() const { return long_lines_; }

protected:
    // Adds the entries of a block of lines of one query. Returns how many lines have more columns than they should.
    virtual std::size_t parse(std::string_view lines, std::size_t id_size, std::vector<Entry>& entries) const = 0;
    virtual void sort(std::vector<Entry>& entries) const = 0;
    bool is_binary(const char* p) const { return medir::is_binary(text_, p); }
    // Calls visit(lines, id_size) for every block of lines of a query.
    template <class Visit>
    void for_each_block(std::size_t query, Visit visit) const {
        for (const QueryBlock* block = first_blocks_[query]; block != nullptr; block = block->next)
            visit(std::string_view(text_.begin() + block->begin, block->end - block->begin), block->id_size);
    }
    const QueryBlock* first_block(std::size_t query) const { return first_blocks_[query]; }
    [[noreturn]] void fail(const char* p, std::size_t columns, const char* layout) const {
        fail_line(text_, p, columns, layout);
    }
    double score(const char* p, const char* end) const;
    double rank(const char* p, const char* end) const;

    const std::shared_ptr<QueryBlocks> blocks_;
    const Text& text_;

private:
    std::string_view id(const QueryBlock& block) const { return blocks_->id(block); }
    bool number_ascending();
    void number_scattered();

    std::vector<QueryBlock*> first_blocks_;  // by query
    bool ascending_ = false;                 // ids: these are indexed when one is looked for
    bool has_whole_blocks_ = false;          // one for each query, of ascending ids
    mutable std::once_flag indexed_;
    mutable std::atomic<std::size_t> long_lines_{0};
    std::unique_ptr<std::atomic<bool>[]> counted_;  // by query: whether its long lines are among them
};

class TrecRun : public TrecLists {
public:
    TrecRun(Text text, Order order, int threads)
        : TrecRun(std::make_shared<QueryBlocks>(std::move(text)), order, threads) {}
    TrecRun(std::shared_ptr<QueryBlocks> blocks, Order order, int threads)
        : TrecLists(std::move(blocks), threads), order_(order) {
        refuse_passages();
    }

    bool tied(const Entry& one, const Entry& other) const override {
        return order_ != Order::file && one.value == other.value;
    }
    ComparedList compared(std::size_t query) const override;
    void prefetch_list(std::size_t query) const override { prefetch(first_block(query)); }
    void prefetch_entries(std::size_t query) const override { prefetch(first_block(query)->places); }

protected:
    std::size_t parse(std::string_view lines, std::size_t id_size, std::vector<Entry>& entries) const override;
    void sort(std::vector<Entry>& entries) const override { sort_entries(entries, order_); }

private:
    // An error where the first lines have another document in each second column, and offset and length behind it.
    void refuse_passages() const;
    template <class Masks>
    const char* parse_short_line(Masks masks, const char* p, std::vector<Entry>& entries, std::size_t& longer) const;
    const char* parse_line(const char* p, std::vector<Entry>& entries, std::size_t& longer) const;
    // Many lines at once, where all are plain; false, and no entry more, where they are not.
    bool parse_plain(std::string_view lines, std::size_t id_size, std::vector<Entry>& entries) const;
    void add(const char* document, const char* document_end, double value, std::vector<Entry>& entries) const;

    Order order_;
};

// The values of judgments are numbers; GradedLists makes grades of them.
class TrecQrels : public TrecLists {
public:
    TrecQrels(Text text, int threads) : TrecLists(std::move(text), threads) {}

    // The second column, between query and document.
    std::string_view intent(std::size_t query, const Entry& entry, std::size_t position) const override;

protected:
    std::size_t parse(std::string_view lines, std::size_t id_size, std::vector<Entry>& entries) const override;
    void sort(std::vector<Entry>&) const override {}

private:
    const char* parse_line(const char* p, std::vector<Entry>& entries) const;
    double any_value(const char* p, const char* end) const;
};

}  // namespace medir
