#include "drivers/exposure.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "base/index.hpp"
#include "base/sums.hpp"
#include "drivers/comparing.hpp"

namespace medir {

namespace {

constexpr std::size_t chunk_ranks = 1'300'000;  // of a run, that are read before their documents are added up
constexpr std::size_t block_size = 32;          // queries that one thread reads at a time, at least
constexpr int part_bits = 8;                    // of the digest of a document, that say in which part it is
constexpr std::size_t parts = std::size_t{1} << part_bits;
constexpr std::size_t ahead = 12;  // documents

// By digest, not by hash: the order of documents is the same in every process.
std::size_t part_of(const DocumentId& id) { return id.digest() >> (32 - part_bits); }

// A document in one or both lists of a query.
struct Sighting {
    DocumentId id;
    std::uint32_t before, after;  // ranks
    std::uint32_t query, place;
};

using Block = std::array<std::vector<Sighting>, parts>;  // the documents of some queries, by part

// What ranks are worth, and all ranks down to a depth together.
class Ranks {
public:
    explicit Ranks(const std::vector<double>& worth) : worth_(worth.size() + 1), down_to_(worth.size() + 1) {
        std::copy(worth.begin(), worth.end(), worth_.begin() + 1);
        std::partial_sum(worth_.begin(), worth_.end(), down_to_.begin());
    }
    double worth(std::size_t rank) const { return rank < worth_.size() ? worth_[rank] : 0.0; }
    double down_to(std::size_t depth) const { return down_to_[std::min(depth, down_to_.size() - 1)]; }

private:
    std::vector<double> worth_, down_to_;  // rank 0 is absent
};

// The documents whose digests begin with the same bits.
class Part {
public:
    // What a document needs from memory is asked for some documents ahead, step by step.
    void add(const std::vector<Sighting>& sightings, const Ranks& ranks, const double* weights) {
        const std::size_t count = sightings.size();
        for (std::size_t i = 0; i < count + 2 * ahead; ++i) {
            if (i < count) index_.prefetch(sightings[i].id.hash);
            if (i >= ahead && i - ahead < count) fetch(sightings[i - ahead].id);
            if (i >= 2 * ahead) add(sightings[i - 2 * ahead], ranks, weights);
        }
    }
    std::vector<Exposure> take() { return std::move(documents_); }

private:
    void fetch(const DocumentId& id) const {
        const std::uint32_t likely = index_.find(id.hash, [](std::uint32_t) { return true; });
        if (likely == ByteIndex::none) return;
        prefetch_to_write(&documents_[likely]);
    }

    void add(const Sighting& sighting, const Ranks& ranks, const double* weights) {
        Exposure& document = documents_[number(sighting)];
        const double weight = weights == nullptr ? 1.0 : weights[sighting.query];
        document.before += weight * ranks.worth(sighting.before);
        document.after += weight * ranks.worth(sighting.after);
        document.queries_before += sighting.before != 0;
        document.queries_after += sighting.after != 0;
    }

    std::size_t number(const Sighting& sighting) {
        if (documents_.size() == room_) grow();
        const auto next = static_cast<std::uint32_t>(documents_.size());
        const std::uint32_t known = index_.find_or_add(
            sighting.id.hash, next, [&](std::uint32_t d) { return documents_[d].id == sighting.id; });
        if (known != ByteIndex::none) return known;
        documents_.push_back({sighting.id, sighting.query, sighting.place});
        return next;
    }

    void grow() {
        room_ = std::max<std::size_t>(2 * room_, 8);
        index_.reset(room_);
        for (std::uint32_t d = 0; d < documents_.size(); ++d)
            index_.find_or_add(documents_[d].id.hash, d, [](std::uint32_t) { return false; });
    }

    ByteIndex index_;
    std::vector<Exposure> documents_;
    std::size_t room_ = 0;  // documents that the index has room for
};

class alignas(cache_line) Reader {
public:
    Reader(const Pairing& pairing, const Ranks& ranks, const double* weights, const Options& options)
        : pairing_(pairing), ranks_(ranks), weights_(weights), options_(options) {}

    // `before` and `after` take what the depth of each list is worth.
    void read(std::size_t first, std::size_t last, Block& block, double* before, double* after) {
        for (auto& sightings : block) sightings.clear();
        for (std::size_t query = first; query < last; ++query) {
            const double weight = weights_ == nullptr ? 1.0 : weights_[query];
            match_query(pairing_, query, nullptr, options_, matching_);
            repeats_ += matching_.dropped();
            *before++ = weight * (ranks_.down_to(matching_.before_size()) - repeated(&Document::before));
            *after++ = weight * (ranks_.down_to(matching_.after_size()) - repeated(&Document::after));
            if (weight != 0) add_sightings(static_cast<std::uint32_t>(query), block);
        }
    }
    std::size_t repeats() const { return repeats_; }

private:
    // What the ranks of those documents of a list are worth that repeat one above: no document has it.
    double repeated(std::uint32_t Document::* rank) const {
        double sum = 0;
        for (std::size_t d = 0; matching_.has_repeats() && d < matching_.documents().size(); ++d)
            if (matching_.is_repeat(d)) sum += ranks_.worth(matching_.documents()[d].*rank);
        return sum;
    }

    void add_sightings(std::uint32_t query, Block& block) const {
        for (std::uint32_t d = 0; d < matching_.documents().size(); ++d) {
            const Document& document = matching_.documents()[d];
            if (document.before + document.after == 0) continue;  // below the depth in both lists
            if (matching_.is_repeat(d)) continue;
            const Entry& entry = options_.reading.key(matching_.entry(d));
            const DocumentId id(entry, numbers_);
            block[part_of(id)].push_back({id, document.before, document.after, query, d});
        }
    }

    const Pairing& pairing_;
    bool numbers_ = pairing_.has_numbers();
    const Ranks& ranks_;
    const double* weights_;
    const Options& options_;
    Matching matching_;
    std::size_t repeats_ = 0;
};

}  // namespace

DocumentId::DocumentId(const Entry& entry, bool numbers)
    : start{}, data(entry.data), size(entry.size), hash(entry.hash) {
    if (numbers) {
        if (const auto number = entry.is_number() ? entry.number() : number_of(entry.bytes())) {
            size = Entry::numbers;
            std::memcpy(start, &*number, sizeof start);
            return;
        }
    }
    const std::size_t first = std::min<std::size_t>(size, 8), second = std::min<std::size_t>(size, 16) - first;
    if (first > 0) start[0] = load_bytes(data, first);
    if (second > 0) start[1] = load_bytes(data + 8, second);
}

std::string DocumentId::text() const {
    if (!is_number()) return {data, size};
    Whole number;
    std::memcpy(&number, start, sizeof number);
    return decimal(number);
}

namespace {

// How many queries are read before their documents are added up.
std::size_t chunk_size(const Pairing& pairing, const Options& options) {
    const std::size_t longest = std::max(pairing.before().longest(), pairing.after().longest());
    const std::size_t ranks = std::max<std::size_t>(std::min(longest, options.reading.depth), 1);
    return std::min(pairing.size(), std::max(block_size, chunk_ranks / ranks));
}

}  // namespace

// A chunk of queries is read, in blocks by any thread; then each part takes its documents out of them, in the order of
// the queries. So the order of all additions is that of the queries.
Exposures expose(const Pairing& pairing, const std::vector<double>& worth, const double* weights,
                 const Options& options, Progress& progress) {
    const Ranks ranks(worth);
    const auto workers = static_cast<std::size_t>(options.threads);
    std::vector<Reader> readers(workers, Reader(pairing, ranks, weights, options));
    const std::size_t most = chunk_size(pairing, options);
    const std::size_t size = std::max(block_size, most / (4 * workers));
    std::vector<Block> blocks((most + size - 1) / size);
    std::vector<double> before(most), after(most);
    std::vector<Part> found(parts);
    Sum total_before, total_after;
    Exposures exposures;
    exposures.pairing = &pairing;
    exposures.clusters = options.reading.clusters;
    for (std::size_t start = 0; start < pairing.size(); start += most) {
        const std::size_t count = std::min(most, pairing.size() - start), used = (count + size - 1) / size;
        parallel_blocks(count, size, options.threads, &progress, [&](std::size_t first, std::size_t last, int thread) {
            readers[static_cast<std::size_t>(thread)].read(start + first, start + last, blocks[first / size],
                                                           &before[first], &after[first]);
        });
        parallel_blocks(parts, 1, used > 1 ? options.threads : 1, nullptr, [&](std::size_t part, std::size_t, int) {
            for (std::size_t b = 0; b < used; ++b) found[part].add(blocks[b][part], ranks, weights);
        });
        for (std::size_t i = 0; i < count; ++i) {
            total_before.add(before[i]);
            total_after.add(after[i]);
        }
    }
    exposures.before = total_before.value();
    exposures.after = total_after.value();
    check_sources(pairing, nullptr, options);
    for (Part& part : found) exposures.parts.push_back(part.take());
    for (const Reader& reader : readers) exposures.repeats += reader.repeats();
    return exposures;
}

std::size_t Exposures::size() const {
    return std::accumulate(parts.begin(), parts.end(), std::size_t{0},
                           [](std::size_t total, const auto& part) { return total + part.size(); });
}

namespace {

// A row, field by field in the order of the columns.
class Row {
public:
    Row(std::string& out, const std::vector<std::string>& columns, const RowLayout& layout)
        : out_(out), column_(columns.begin()), layout_(layout) {
        if (layout_.is_json()) out_.push_back('{');
    }
    void number(std::string_view digits) { begin().append(digits); }
    void text(std::string_view text) {
        if (text.data() == nullptr)
            begin().append(layout_.is_json() ? "null" : "");
        else if (layout_.is_json())
            append_json(begin(), text);
        else
            append_field(begin(), text, layout_);
    }
    void end() { out_.append(layout_.is_json() ? "}\n" : "\n"); }

private:
    // What goes before a field.
    std::string& begin() {
        if (layout_.is_json()) {
            if (!is_first_) out_.append(", ");
            append_json(out_, *column_);
            out_.append(": ");
        } else if (!is_first_) {
            out_.push_back(layout_.delimiter());
        }
        is_first_ = false;
        ++column_;
        return out_;
    }

    std::string& out_;
    std::vector<std::string>::const_iterator column_;
    RowLayout layout_;
    bool is_first_ = true;
};

std::string header_of(const std::vector<std::string>& columns, const RowLayout& layout) {
    std::string header;
    if (layout.is_json()) return header;
    for (const std::string& column : columns) {
        if (!header.empty()) header.push_back(layout.delimiter());
        append_field(header, column, layout);
    }
    return header + "\n";
}

}  // namespace

void write_exposures(const Exposures& exposures, const ExposureRows& rows, const RowLayout& layout, int threads,
                     const Sink& sink) {
    std::vector<const Exposure*> documents;
    documents.reserve(exposures.size());
    for (const auto& part : exposures.parts)
        for (const Exposure& exposure : part) documents.push_back(&exposure);
    sink(header_of(rows.columns, layout));
    write_in_order(exposures.size(), threads, sink, [&](std::size_t i, std::string& out) {
        const auto number = static_cast<std::size_t>(rows.order[i]);
        const Exposure& exposure = *documents[number];
        Number digits;
        Row row(out, rows.columns, layout);
        row.text(exposure.document());
        for (const double value : {exposure.before, exposure.after, rows.change[number]})
            row.number(digits.text(value));
        for (const std::uint32_t count : {exposure.queries_before, exposure.queries_after})
            row.number(std::to_string(count));
        row.text(rows.statuses[rows.status[number]]);
        row.text(rows.titles.empty() ? std::string_view{} : rows.titles[i]);
        row.end();
    });
    exposures.check_sources();
}

}  // namespace medir
