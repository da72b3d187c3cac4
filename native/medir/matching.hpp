// The documents of one query: where each stands in both lists, and how it was judged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lists.hpp"

namespace medir {

enum class Repeats { error, first };  // of a document within one list

struct Document {
    std::uint32_t before, after;  // ranks from 1; 0 where the document is not in the list
    std::int32_t grade;           // unjudged where there is no judgment

    static constexpr std::int32_t unjudged = -1;
};

struct Changes {
    std::uint32_t entered = 0, left = 0, moved = 0;
};

// One matching serves many queries, one after the other, and keeps its memory.
class Matching {
public:
    // Lists are cut at `depth`. A null pointer stands for an empty list, or for no judgments.
    void match(const Lists* before, std::size_t before_query, const Lists* after, std::size_t after_query,
               const Lists* qrels, std::size_t qrels_query, std::size_t depth, Repeats repeats);

    // The documents of `before` in rank order, then those of `after` alone in rank order, then those only judged.
    const std::vector<Document>& documents() const { return documents_; }
    std::size_t before_size() const { return before_size_; }
    std::size_t after_size() const { return after_size_; }
    bool judged() const { return judged_; }
    std::size_t repeats() const { return repeats_; }  // results dropped under Repeats::first

    Changes changes() const;

private:
    std::size_t add_list(const Lists& lists, std::size_t query, std::uint32_t Document::* rank, std::size_t depth,
                         Repeats repeats);
    void add_judgments(const Lists& qrels, std::size_t query);
    std::uint32_t find_or_add(const Entry& entry);

    std::vector<Document> documents_;
    std::vector<const Entry*> ids_;  // of the documents
    std::vector<Entry> before_entries_, after_entries_, judgments_;
    ByteIndex index_;
    std::size_t before_size_ = 0, after_size_ = 0, repeats_ = 0;
    bool judged_ = false;
};

// Reads all judgments, so that a fault in any is found now. Returns the highest grade.
int check_judgments(const Lists& qrels, int threads);

}  // namespace medir
