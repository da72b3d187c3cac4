// Passages by query: what a run shows, in its order, or what was judged relevant (gold), wherever they come from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lists/columns.hpp"
#include "lists/lists.hpp"
#include "texts/trec.hpp"

namespace medir {

struct Passage {
    const char* data;  // the id of the document
    std::uint32_t size, hash;
    std::int64_t start, length;
    double seconds;  // negative where no duration is given

    static constexpr double no_duration = -1;
    static constexpr std::int64_t largest = 1'000'000'000'000;  // of start and length: sums are exact

    std::int64_t end() const { return start + length; }
    std::string_view document() const { return {data, size}; }
    bool same_document(const Passage& other) const { return size == other.size && same_bytes(data, other.data, size); }
};

// What a passage is ordered by.
struct PassageRank {
    double score;
    std::int64_t rank;
    std::uint32_t number;  // among the passages of its query, as they come
};

class Passages {
public:
    virtual ~Passages() = default;

    // Replaces `passages` by those of one query, in order. Their ids live as long as this. `scratch` is memory to work
    // in, for one thread.
    virtual void read_passages(std::size_t query, std::vector<Passage>& passages,
                               std::vector<PassageRank>& scratch) const = 0;
    // Whether passages have durations.
    virtual bool timed() const = 0;

protected:
    std::uint64_t digest_passages(std::size_t query, std::uint64_t hash) const;
};

// run: `topic document rank score offset length tag`, ordered by score descending (then rank), by rank, or as they
// come; gold: `topic document offset length`, and anything behind.
enum class PassageLayout { run, gold };

class TrecPassages : public TrecLists, public Passages {
public:
    TrecPassages(Text text, PassageLayout layout, Order order, int threads)
        : TrecPassages(std::make_shared<QueryBlocks>(std::move(text)), layout, order, threads) {}
    TrecPassages(std::shared_ptr<QueryBlocks> blocks, PassageLayout layout, Order order, int threads)
        : TrecLists(std::move(blocks), threads), layout_(layout), order_(order) {}

    void read_passages(std::size_t query, std::vector<Passage>& passages,
                       std::vector<PassageRank>& scratch) const override;
    std::uint64_t digest(std::size_t query, bool, std::uint64_t hash) const override {
        return digest_passages(query, hash);
    }
    bool timed() const override { return false; }

protected:
    // As lists, passages are their documents.
    std::size_t parse(std::string_view lines, std::size_t id_size, std::vector<Entry>& entries) const override;
    void sort(std::vector<Entry>& entries) const override { sort_entries(entries, Order::file); }

private:
    // Adds passages and, where they are ordered by them, their ranks.
    void parse_lines(std::string_view lines, std::size_t id_size, std::vector<Passage>& passages,
                     std::vector<PassageRank>& ranks) const;
    template <class Masks>
    const char* parse_short_line(Masks masks, const char* p, std::vector<Passage>& passages,
                                 std::vector<PassageRank>& ranks) const;
    const char* parse_line(const char* p, std::vector<Passage>& passages, std::vector<PassageRank>& ranks) const;
    bool is_ordered() const { return layout_ == PassageLayout::run && order_ != Order::file; }
    double score(const char* p, const char* end) const;
    std::int64_t rank(const char* p, const char* end) const;
    std::int64_t extent(const char* p, const char* end, const char* what) const;

    PassageLayout layout_;
    Order order_;
};

// Passages that a caller holds in memory, column by column, in order and checked.
class ColumnPassages : public Lists, public Passages {
public:
    struct Columns {
        std::vector<std::uint32_t> documents;  // numbers of `names`
        std::vector<std::int64_t> starts, lengths;
        std::vector<double> seconds;  // one for each passage, or none at all
    };

    // The passages of query q are those up to ends[q], from where the query before it ended.
    ColumnPassages(std::string name, Strings queries, std::vector<std::uint64_t> ends, Strings names, Columns columns);

    std::size_t queries() const override { return queries_.size(); }
    std::string_view query(std::size_t number) const override { return queries_[number]; }
    void read(std::size_t query, std::vector<Entry>& entries) const override;
    std::string_view intent(std::size_t, const Entry&, std::size_t) const override { return {}; }
    InputError error(std::size_t query, const Entry& entry, std::string problem, std::string remedy) const override;
    void read_passages(std::size_t query, std::vector<Passage>& passages,
                       std::vector<PassageRank>& scratch) const override;
    std::uint64_t digest(std::size_t query, bool, std::uint64_t hash) const override {
        return digest_passages(query, hash);
    }
    bool timed() const override { return !columns_.seconds.empty(); }

private:
    std::string name_;
    Strings queries_;
    std::vector<std::uint64_t> ends_;
    Strings names_;
    std::vector<std::uint32_t> hashes_;  // of the names
    Columns columns_;
};

}  // namespace medir
