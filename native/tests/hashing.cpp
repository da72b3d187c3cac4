// Hashes depend on a seed that nobody knows: no ids can be chosen that meet in one place of a table, and no result
// depends on the seed.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/index.hpp"
#include "workload.hpp"

using namespace medir;

namespace {

using Ids = std::vector<std::string>;  // each with room behind it

constexpr std::size_t count = 100'000, room = 8;

std::string_view id_of(const std::string& padded) { return {padded.data(), padded.size() - room}; }

std::string padded(std::uint64_t first, std::uint64_t second) {
    std::string id(16 + room, '\0');
    std::memcpy(id.data(), &first, 8);
    std::memcpy(id.data() + 8, &second, 8);
    return id;
}

// Ids of two words of which the second undoes what the first did to a chain of products with known factors: all have
// the same digest.
Ids with_equal_digests(std::mt19937_64& random) {
    constexpr std::uint64_t known = 0x9e3779b97f4a7c15u;
    Ids ids;
    while (ids.size() < count) {
        const std::uint64_t first = random();
        ids.push_back(padded(first, folded_product(known ^ 16 ^ first, known) ^ 0x0123456789abcdefu));
    }
    return ids;
}

// One bit, or one byte, of the first word changes and one of the second: what a chain might let cancel.
Ids with_few_differences() {
    Ids ids;
    for (std::uint64_t first = 0; ids.size() < count; ++first)
        for (std::uint64_t second = 0; second < 512 && ids.size() < count; ++second)
            ids.push_back(padded(first << 56 | first >> 8, second << 55));
    return ids;
}

Ids in_sequence(std::uint64_t step) {
    Ids ids;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t word = i * step;
        ids.emplace_back(8 + room, '\0');
        std::memcpy(ids.back().data(), &word, 8);
    }
    return ids;
}

// How many places of a table as long as ByteIndex makes it are looked at until every one of the hashes has its own.
std::size_t probes(const std::vector<std::uint32_t>& hashes) {
    std::vector<bool> taken(std::bit_ceil(2 * hashes.size()));
    std::size_t looked = 0;
    for (const std::uint32_t hash : hashes) {
        std::size_t at = hash & (taken.size() - 1);
        for (++looked; taken[at]; ++looked) at = (at + 1) & (taken.size() - 1);
        taken[at] = true;
    }
    return looked;
}

void require(bool holds, const char* what, const char* of) {
    if (holds) return;
    std::fprintf(stderr, "wrong: %s: %s\n", of, what);
    std::exit(1);
}

// A table that is half full takes 1.5 looks for each id where hashes are drawn at random.
void check_spread(const char* name, const Ids& ids) {
    std::vector<std::uint32_t> bytes, words;
    for (const std::string& id : ids) {
        bytes.push_back(hash_bytes(id_of(id)));
        words.push_back(hash_word(load_word(id.data())));
    }
    require(probes(bytes) < 2 * count, "too many places are looked at", name);
    if (ids[0].size() == 8 + room) require(probes(words) < 2 * count, "too many places for numbers", name);
}

void check_floods(std::mt19937_64& random) {
    const Ids crafted = with_equal_digests(random);
    require(
        std::all_of(crafted.begin(), crafted.end(),
                    [&](const std::string& id) { return digest_bytes(id_of(id)) == digest_bytes(id_of(crafted[0])); }),
        "the ids do not flood a table by digest, so they show nothing", "equal digests");
    for (int seed = 0; seed < 20; ++seed) {
        hash_seed = HashSeed::random();
        check_spread("equal digests", crafted);
        check_spread("few differences", with_few_differences());
        for (const std::uint64_t step : {1ull, 10ull, 1ull << 20, 1ull << 32, 1ull << 40, 0x0101010101010101ull})
            check_spread("a sequence", in_sequence(step));
    }
}

// What every reader and driver makes of the same input.
std::vector<std::string> results() {
    std::vector<std::string> bytes;
    for (const auto& works : {tests::readings(100, 12), tests::comparisons(100, 12)})
        for (const tests::Work& work : works) bytes.push_back(work.run(1));
    return bytes;
}

void check_results() {
    const std::vector<std::string> expected = results();
    for (const HashSeed& seed : {HashSeed::random(), HashSeed::random(), HashSeed{0, 1, 1}}) {
        hash_seed = seed;
        require(results() == expected, "results depend on the seed", "every reader and driver");
    }
}

}  // namespace

int main() {
    std::mt19937_64 random(1);
    check_floods(random);
    check_results();
    std::puts("no ids flood a table, and no result depends on the seed");
}
