#include "workload.hpp"

#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <random>

#include "base/arrow_columns.hpp"
#include "drivers/checking.hpp"
#include "drivers/comparing.hpp"
#include "drivers/comparing_passages.hpp"
#include "drivers/expecting.hpp"
#include "drivers/exposure.hpp"
#include "drivers/judging.hpp"
#include "drivers/matrix.hpp"
#include "drivers/rows.hpp"
#include "drivers/scoring.hpp"
#include "measures/average_precision.hpp"
#include "measures/cascade.hpp"
#include "measures/dot_product.hpp"
#include "measures/time_biased_gain.hpp"
#include "similarity/rank_biased_overlap.hpp"
#include "tables/packed_ranges.hpp"
#include "tables/table_lists.hpp"
#include "texts/delimited.hpp"
#include "texts/delimited_lists.hpp"
#include "texts/json_lists.hpp"
#include "texts/marco.hpp"
#include "trails/passages.hpp"

namespace medir::tests {

namespace {

constexpr std::size_t chunk = 4096;  // of text: small, so that there are many

template <class Value>
std::string bytes_of(const std::vector<Value>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)};
}

// The texts of two runs, judgments and more. The same for the same sizes.
struct Texts {
    std::string before, after, qrels, lengths, passages, gold, csv, json_lines, json, marco, table;

    Texts(std::size_t queries, std::size_t results) {
        std::mt19937 random(1);
        csv = "query_id,doc_id,score\n";
        table = "query_id\tweight\tsegment\n";
        json = "{";
        for (std::size_t document = 0; document < 3 * results; ++document)
            lengths += id("d", document) + " " + std::to_string(random() % 900) + "\n";
        for (std::size_t query = 0; query < queries; ++query) {
            const std::string topic = id("q", query);
            table += topic + "\t" + std::to_string(query % 7) + "\t" + id("s", query % 3) + "\n";
            json += (query > 0 ? ", \"" : "\"") + topic + "\": {";
            for (std::size_t rank = 0; rank < results; ++rank) add_result(topic, rank, results, random);
            json += "}";
        }
        json += "}";
    }

private:
    static std::string id(const char* letter, std::size_t number) { return letter + std::to_string(number); }

    void add_result(const std::string& query, std::size_t rank, std::size_t results, std::mt19937& random) {
        const std::string first = id("d", 2 * rank), second = id("d", 2 * rank + random() % 3);
        const std::string place = std::to_string(rank + 1), score = std::to_string(results - rank) + ".25";
        before += query + " Q0 " + first + " " + place + " " + score + " tag\n";
        if (random() % 5 > 0) after += query + " Q0 " + second + std::to_string(rank % 2) + " 1 " + score + " tag\n";
        after += query + " Q0 " + first + " 1 " + std::to_string(random() % 100) + " tag\n";
        if (random() % 3 == 0) qrels += query + " 0 " + first + " " + std::to_string(random() % 3) + "\n";
        passages += query + " " + first + " " + place + " " + score + " " + std::to_string(random() % 200) + " " +
                    std::to_string(random() % 300) + " tag\n";
        gold += query + " " + first + " " + std::to_string(random() % 100) + " 50\n";
        csv += query + "," + first + "," + score + "\n";
        json_lines += R"({"query_id": ")" + query + R"(", "doc_id": ")" + first + R"(", "score": )" + score + "}\n";
        json += (rank > 0 ? ", \"" : "\"") + first + R"(\u0041": )" + score;
        marco += query + "\t" + first + "\t" + place + "\n";
    }
};

std::string digest_of(const Lists& lists, int threads) {
    const std::uint64_t hash = digest(lists, Intents::kept, threads);
    return bytes_of(std::vector{hash, std::uint64_t{lists.queries()}});
}

Text text_of(const std::string& bytes) { return Text::copy("text", bytes); }

std::string read_table(const Texts& texts, int threads) {
    const TrecRun run(text_of(texts.before), Order::score, threads);
    const auto table = std::make_shared<DelimitedTable>(text_of(texts.table), Delimiter::tab,
                                                        std::vector<std::string>{"query_id"}, threads, chunk);
    const QueryRows rows(table, run, run.queries(), threads);
    std::vector<double> weights(rows.size());
    std::vector<std::int32_t> codes(rows.size());
    rows.weights(0, 1, weights.data(), threads);
    rows.segments(1, codes.data(), threads);
    return bytes_of(weights) + bytes_of(codes);
}

// Rows of a run in batches, which the core hands over and takes.
std::string read_arrow(const Texts& texts, int threads) {
    const TrecRun run(text_of(texts.before), Order::score, threads);
    std::vector<ArrowBatch> batches;
    std::vector<Entry> entries;
    for (std::size_t query = 0; query < run.queries(); ++query) {
        run.read(query, entries);
        ArrowTexts queries("query_id"), documents("doc_id");
        std::vector<double> scores;
        queries.add(run.query(query), entries.size());
        for (const Entry& entry : entries) {
            documents.add(entry.bytes());
            scores.push_back(entry.value);
        }
        ArrowBatch batch(entries.size());
        batch.add(std::move(queries).take());
        batch.add(std::move(documents).take());
        batch.add(arrow_floats("score", scores.data(), scores.size()));
        batches.push_back(std::move(batch));
    }
    struct Stream : ArrowArrayStream {
        ~Stream() {
            if (release != nullptr) release(this);
        }
    } stream{};
    export_stream(std::move(batches), &stream);
    const auto table = std::make_shared<ArrowTable>("table", stream);
    const TableColumns columns{0, 1, 2, {}};
    std::string digests = digest_of(TableLists(table, columns, Values::scores, Order::score, threads), threads);
    PackedRanges ranges(table, columns, Values::scores, Strings("2", {1}));
    const auto rows = std::make_shared<PackedBytes>(ranges.size());
    ranges.take(rows->data());
    return digests += digest_of(TableLists(table, rows, columns, Values::scores, Order::score), threads);
}

std::shared_ptr<const DotProduct> discounted_gain() {
    std::vector<double> discount{0.0}, tail(21, 0.0);
    for (std::size_t i = 1; i <= 20; ++i) discount.push_back(1 / static_cast<double>(i));
    for (std::size_t i = 20; i-- > 0;) tail[i] = tail[i + 1] + discount[i + 1];
    return std::make_shared<DotProduct>(discount, tail, std::vector{0.0, 0.5, 1.0}, std::vector<std::int64_t>{},
                                        tail[0]);
}

std::shared_ptr<const Cascade> cascade() {
    std::vector<double> discount{0.0}, tail(21, 0.0);
    for (std::size_t i = 1; i <= 20; ++i) discount.push_back(1 / static_cast<double>(i));
    for (std::size_t i = 20; i-- > 0;) tail[i] = discount[i + 1] + 0.5 * tail[i + 1];
    return std::make_shared<Cascade>(discount, tail, std::vector{0.0, 0.5, 1.0}, 0.5, 1.0, 2000);
}

// Two runs that are read together, in small parts, and compared by rank.
std::string compare_together(const Texts& texts, int threads) {
    const auto before = std::make_shared<QueryBlocks>(text_of(texts.before));
    const auto after = std::make_shared<QueryBlocks>(text_of(texts.after));
    QueryBlocks::pair(*before, *after, chunk);
    std::shared_ptr<Lists> runs[2];
    {
        const Threads other(threads > 1 ? 1 : 0, [&](int) { before->take_part(1); });
        runs[0] = std::make_shared<TrecRun>(before, Order::score, threads);
        runs[1] = std::make_shared<TrecRun>(after, Order::score, threads);
    }
    const Pairing pairing(runs[0], runs[1], threads);
    std::vector<double> values(difference_columns.size() * pairing.size());
    std::vector<std::uint32_t> changes(change_columns.size() * pairing.size());
    const Unseen unseen(UnseenRule::automatic, {runs[0]->lengths().cut(), runs[1]->lengths().cut()});
    const Reading reading{no_limit, Repeats::first, Intents::ignored, Ties::ignored, unseen, nullptr};
    const Options options{reading, {20}, threads, nullptr};
    Progress progress;
    medir::compare(pairing, nullptr, {discounted_gain()}, options, {values.data(), changes.data(), pairing.size()},
                   nullptr, progress);
    return bytes_of(values) + bytes_of(changes);
}

// Two runs and all that is asked of them.
class Comparing {
public:
    Comparing(const Texts& texts, int threads)
        : threads_(threads),
          before_(std::make_shared<TrecRun>(text_of(texts.before), Order::score, threads)),
          after_(std::make_shared<TrecRun>(text_of(texts.after), Order::score, threads)),
          qrels_(
              check_judgments(std::make_shared<TrecQrels>(text_of(texts.qrels), threads), {}, Intents::ignored, threads)
                  .lists),
          lengths_(std::make_shared<Lengths>(text_of(texts.lengths), 500)),
          pairing_(before_, after_, threads) {}

    std::string compare() {
        const std::vector<std::shared_ptr<const Measure>> measures{
            discounted_gain(), cascade(), std::make_shared<AveragePrecision>(20, 1, 20, 2000),
            std::make_shared<TimeBiasedGain>(TimeBiasedGain::Calibration{224, 0.4928, 4.4, 7.8, 0.018, 0.64, 0.39},
                                             TimeBiasedGain::endless, 1, 2000),
            std::make_shared<RankBiasedOverlap>(0.9, RankBiasedOverlap::Rest::ext, RankBiasedOverlap::Ties::none,
                                                no_limit, 64)};
        std::vector<double> values(measures.size() * difference_columns.size() * pairing_.size());
        std::vector<std::uint32_t> changes(measures.size() * change_columns.size() * pairing_.size());
        Progress progress;
        medir::compare(pairing_, qrels_.get(), measures, options(measures.size()),
                       {values.data(), changes.data(), pairing_.size()}, nullptr, progress);
        const std::vector<std::string> names{"a", "b", "c", "d", "e"};
        const std::vector<bool> of_ranks{false, false, false, false, true};
        std::string rows;
        write_rows({pairing_, names, of_ranks, values.data(), changes.data(), nullptr}, RowLayout{RowFormat::csv},
                   threads_, [&](std::string_view text) { rows += text; });
        return bytes_of(values) + bytes_of(changes) + rows;
    }

    std::string write_shards() {
        const std::vector<std::shared_ptr<const Multilinear>> kernels{discounted_gain(), cascade()};
        std::vector<ShardMeasure> measures;
        for (const auto& kernel : kernels) measures.push_back({kernel, {0.0, 0.5, 1.0}, 20, true});
        std::vector<std::uint32_t> checksums(pairing_.size()), occurring(1 << 10);
        std::mutex guard;
        std::map<std::size_t, std::string> texts;
        Shards shards{measures, 4, checksums.data(), SharedBits(32 * occurring.size()), [&](const Shard& shard) {
                          const std::scoped_lock lock(guard);
                          texts[shard.number] = std::string(shard.queries) + std::string(shard.lists);
                      }};
        Progress progress;
        medir::compare(pairing_, qrels_.get(), {kernels.begin(), kernels.end()}, options(kernels.size()),
                       {nullptr, nullptr, pairing_.size()}, &shards, progress);
        shards.occurring.copy_to(occurring.data());
        std::string all = bytes_of(checksums) + bytes_of(occurring);
        for (const auto& [number, text] : texts) all += text;
        return all;
    }

    std::string compare_pairs() {
        const Pool pool({before_, after_, before_});
        const std::vector<std::shared_ptr<const Measure>> measures{discounted_gain(), cascade()};
        const std::vector<std::pair<std::size_t, std::size_t>> pairs{{0, 1}, {1, 2}, {0, 2}};
        std::vector<double> values(measures.size() * pairs.size() * pool.size());
        std::vector<double> notes(measures.size() * PairNotes::columns * pool.size());
        std::vector<std::uint8_t> finished(pool.size(), 0);
        Progress progress;
        medir::compare_pairs(pool, pairs, qrels_.get(), measures, options(measures.size(), 3), values.data(),
                             {notes.data(), pool.size()}, finished.data(), progress);
        return bytes_of(values) + bytes_of(notes) + bytes_of(finished);
    }

    std::string expect() {
        const std::vector<std::shared_ptr<const Multilinear>> measures{discounted_gain(), cascade()};
        Sampling sampling{200, {}, {}};
        sampling.levels = {0.5};
        sampling.order = {100, 90, 110};
        std::vector<std::size_t> reaches{20, 20};
        const Expecting expecting{std::move(sampling), 7, std::move(reaches)};
        const Prior prior{{0.5, 0.25}, nullptr, 0.1};
        std::vector<double> values(measures.size() * (Estimates::before_quantiles + 3) * pairing_.size());
        std::vector<double> sums(measures.size() * 200);
        std::vector<std::uint32_t> changes(measures.size() * change_columns.size() * pairing_.size());
        Progress progress;
        medir::expect(pairing_, qrels_.get(), measures, options(measures.size()), prior, expecting,
                      {values.data(), sums.data(), changes.data()}, progress);
        return bytes_of(values) + bytes_of(sums) + bytes_of(changes);
    }

    std::string expose() {
        Progress progress;
        const Exposures exposures = medir::expose(pairing_, {1, 0.5, 0.25}, nullptr, options(1), progress);
        std::vector<double> change(exposures.size(), 0.5);
        std::vector<std::uint8_t> status(exposures.size(), 0);
        std::vector<std::int64_t> order(exposures.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
        std::string rows;
        write_exposures(exposures,
                        {std::vector<std::string>(exposure_columns, "c"),
                         {"shown"},
                         change.data(),
                         status.data(),
                         order.data(),
                         {}},
                        RowLayout{RowFormat::jsonl}, threads_, [&](std::string_view text) { rows += text; });
        return rows;
    }

    std::string judge() {
        const Pool pool({before_, after_});
        Progress progress;
        std::string found;
        for (const Suggestion& one :
             medir::judge(pool, qrels_.get(), *cascade(), {{0, 1, 2}, {}}, options(1), 20, progress))
            found += one.document + bytes_of(std::vector{one.reduction, one.med, one.worst, one.best});
        return found;
    }

    std::string score() {
        const std::vector<std::shared_ptr<const Effectiveness>> measures{discounted_gain(), cascade()};
        std::vector<double> values(measures.size() * qrels_->queries());
        medir::score(*before_, *qrels_, measures, options(measures.size()), values.data());
        return bytes_of(values);
    }

private:
    // Aggregates are built step by step: g++ 12 frees the first parts of one twice where a later one throws.
    Options options(std::size_t measures, std::size_t runs = 2) const {
        Unseen unseen(UnseenRule::automatic, std::vector<std::size_t>(runs, 5));
        std::vector<std::size_t> reaches(measures, 20);
        Reading reading{no_limit, Repeats::first, Intents::ignored, Ties::ignored, std::move(unseen)};
        return Options{std::move(reading), std::move(reaches), threads_, lengths_};
    }

    int threads_;
    std::shared_ptr<const Lists> before_, after_, qrels_;
    std::shared_ptr<const Lengths> lengths_;
    Pairing pairing_;
};

std::string compare_passages(const Texts& texts, int threads) {
    const auto run = [&] {
        return std::make_shared<TrecPassages>(text_of(texts.passages), PassageLayout::run, Order::score, threads);
    };
    const TrecPassages gold(text_of(texts.gold), PassageLayout::gold, Order::file, threads);
    const auto reversed =
        std::make_shared<TrecPassages>(text_of(texts.passages), PassageLayout::run, Order::rank, threads);
    const Pairing pairing(run(), reversed, threads);
    const std::vector<std::shared_ptr<const TrailMeasure>> measures{
        std::make_shared<UMeasure>(TrailDiscount::linear, 1000, 1), std::make_shared<TimeBiasedTrail>(224, 25)};
    constexpr double deep = std::numeric_limits<double>::infinity();
    Scope scope{no_limit, deep, true, Unseen(UnseenRule::automatic, {5, 5})};
    std::vector<double> reaches{1000, deep};
    const TrailOptions options{std::move(scope), std::move(reaches), threads};
    std::vector<double> values(measures.size() * difference_columns.size() * pairing.size());
    std::vector<std::uint32_t> changes(measures.size() * change_columns.size() * pairing.size());
    Progress progress;
    medir::compare_passages(pairing, &gold, measures, options, {values.data(), changes.data(), pairing.size()},
                            progress);
    return bytes_of(values) + bytes_of(changes);
}

std::string compare_passage_pairs(const Texts& texts, int threads) {
    const auto run = [&](Order order) {
        return std::make_shared<TrecPassages>(text_of(texts.passages), PassageLayout::run, order, threads);
    };
    const TrecPassages gold(text_of(texts.gold), PassageLayout::gold, Order::file, threads);
    const Pool pool({run(Order::score), run(Order::rank), run(Order::file)});
    const std::vector<std::shared_ptr<const TrailMeasure>> measures{std::make_shared<TimeBiasedTrail>(224, 25)};
    const std::vector<std::pair<std::size_t, std::size_t>> pairs{{0, 1}, {1, 2}, {0, 2}, {1, 1}};
    constexpr double deep = std::numeric_limits<double>::infinity();
    Scope scope{no_limit, deep, true, Unseen(UnseenRule::automatic, {5, 5, 5})};
    std::vector<double> reaches{deep};
    const TrailOptions options{std::move(scope), std::move(reaches), threads};
    std::vector<double> values(pairs.size() * pool.size()), notes(PairNotes::columns * pool.size());
    std::vector<std::uint8_t> finished(pool.size(), 0);
    Progress progress;
    medir::compare_passage_pairs(pool, pairs, &gold, measures, options, values.data(), {notes.data(), pool.size()},
                                 finished.data(), progress);
    return bytes_of(values) + bytes_of(notes) + bytes_of(finished);
}

}  // namespace

std::vector<Work> readings(std::size_t queries, std::size_t results) {
    const auto texts = std::make_shared<const Texts>(queries, results);
    // `make` is given the number of threads and returns a reader.
    const auto reading = [](const char* name, auto make) {
        return Work{name, [make](int threads) { return digest_of(*make(threads), threads); }};
    };
    return {
        reading("a TREC run",
                [=](int threads) { return std::make_unique<TrecRun>(text_of(texts->before), Order::score, threads); }),
        reading("judgments",
                [=](int threads) {
                    const auto qrels = std::make_shared<TrecQrels>(text_of(texts->qrels), threads);
                    return check_judgments(qrels, {}, Intents::kept, threads).lists;
                }),
        {"lengths", [=](int) { return bytes_of(std::vector{Lengths(text_of(texts->lengths), 1).digest()}); }},
        reading("passages",
                [=](int threads) {
                    return std::make_unique<TrecPassages>(text_of(texts->passages), PassageLayout::run, Order::score,
                                                          threads);
                }),
        reading("gold",
                [=](int threads) {
                    return std::make_unique<TrecPassages>(text_of(texts->gold), PassageLayout::gold, Order::file,
                                                          threads);
                }),
        reading(
            "MS MARCO",
            [=](int threads) { return std::make_unique<MarcoRun>(text_of(texts->marco), 3, Order::rank, threads); }),
        reading("CSV",
                [=](int threads) {
                    return std::make_unique<DelimitedLists>(text_of(texts->csv), Delimiter::comma,
                                                            ListColumns{0, 1, 2, {}}, Values::scores, Order::score,
                                                            threads, Labels{}, chunk);
                }),
        reading("JSON lines",
                [=](int threads) {
                    const JsonFields fields{"query_id", "doc_id", "score", ""};
                    return std::make_unique<JsonLines>(text_of(texts->json_lines), fields, false, Values::scores,
                                                       Order::score, threads, chunk);
                }),
        reading("JSON", [=](int) { return std::make_unique<JsonDocument>(text_of(texts->json), Order::score); }),
        {"a table of queries", [=](int threads) { return read_table(*texts, threads); }},
        {"a table of Arrow", [=](int threads) { return read_arrow(*texts, threads); }},
    };
}

std::vector<Work> comparisons(std::size_t queries, std::size_t results) {
    const auto texts = std::make_shared<const Texts>(queries, results);
    const auto comparing = [=](const char* name, std::string (Comparing::*work)()) {
        return Work{name, [=](int threads) { return (Comparing(*texts, threads).*work)(); }};
    };
    return {
        {"compare what is read together", [=](int threads) { return compare_together(*texts, threads); }},
        comparing("compare", &Comparing::compare),
        comparing("write shards", &Comparing::write_shards),
        comparing("compare pairs", &Comparing::compare_pairs),
        comparing("expect", &Comparing::expect),
        comparing("expose", &Comparing::expose),
        comparing("judge", &Comparing::judge),
        comparing("score", &Comparing::score),
        {"compare passages", [=](int threads) { return compare_passages(*texts, threads); }},
        {"compare pairs of passages", [=](int threads) { return compare_passage_pairs(*texts, threads); }},
    };
}

}  // namespace medir::tests
