// The solvers under the sanitizers: random small problems against every assignment, and large ones, where a search that
// goes on longer must stay within the interval of a shorter one.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include "average_precision.hpp"
#include "cascade.hpp"

using namespace medir;

namespace {

using Random = std::mt19937_64;
using Numbers = std::vector<std::uint32_t>;

struct Lists {
    Numbers before, after;
};

// Two lists of the same documents: any order, or nearly the same.
Lists random_lists(std::size_t size, Random& random) {
    Lists lists{Numbers(size), {}};
    std::iota(lists.before.begin(), lists.before.end(), 0);
    lists.after = lists.before;
    if (random() % 2)
        std::shuffle(lists.after.begin(), lists.after.end(), random);
    else
        for (std::size_t swaps = size; swaps-- > 0;) {
            const std::size_t i = random() % size, j = std::min(size - 1, i + random() % 8);
            std::swap(lists.after[i], lists.after[j]);
        }
    return lists;
}

double cascade_score(const Numbers& list, const std::vector<double>& discount, double decay, std::size_t relevant) {
    double sum = 0, reach = 1;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (!(relevant >> list[i] & 1)) continue;
        sum += reach * discount[i + 1];
        reach *= 1 - decay;
    }
    return sum;
}

double precision_score(const Numbers& list, std::size_t relevant) {
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < list.size(); ++i)
        if (relevant >> list[i] & 1) sum += ++count / static_cast<double>(i + 1);
    return sum / static_cast<double>(list.size());
}

template <class Score>
double by_enumeration(const Lists& lists, Score score) {
    double most = 0;
    for (std::size_t relevant = 0; relevant < std::size_t{1} << lists.before.size(); ++relevant)
        most = std::max(most, std::abs(score(lists.after, relevant) - score(lists.before, relevant)));
    return most;
}

[[noreturn]] void fail(const char* what, double value, double expected) {
    std::fprintf(stderr, "%s: %.17g where %.17g was expected\n", what, value, expected);
    std::exit(1);
}

void check_small(Random& random) {
    const std::size_t size = 1 + random() % 9;
    const Lists lists = random_lists(size, random);
    const double decay = std::vector{0.05, 0.3, 0.9, 1.0}[random() % 4],
                 power = 0.5 * static_cast<double>(random() % 3);
    std::vector<double> discount(size + 1, 0.0);
    for (std::size_t i = 1; i <= size; ++i) discount[i] = std::pow(static_cast<double>(i), -power);
    Matching matching;
    matching.match({lists.before, {}}, {lists.after, {}}, std::vector<std::int32_t>(size, Document::unjudged), false);
    const Cascade cascade(discount, std::vector<double>(size + 1, 0.0), {0.0, 1.0}, decay, 1.0, 1000000);
    const double found = cascade.difference(matching, Unseen::nothing).med;
    const double expected = by_enumeration(lists, [&](const Numbers& list, std::size_t relevant) {
        return cascade_score(list, discount, decay, relevant);
    });
    if (std::abs(found - expected) > 1e-12) fail("cascade", found, expected);
    const AveragePrecision precision(size, 1, static_cast<double>(size), 1000000);
    const double average = precision.difference(matching, Unseen::nothing).med;
    const double wanted = by_enumeration(lists, precision_score);
    if (std::abs(average - wanted) > 1e-12) fail("average precision", average, wanted);
}

void check_large(Random& random) {
    const std::size_t size = 40 + random() % 200;
    const Lists lists = random_lists(size, random);
    std::vector<double> discount(size + 1, 0.0), tail(size + 1, 0.0);
    for (std::size_t i = 1; i <= size; ++i) discount[i] = 1 / std::sqrt(static_cast<double>(i));
    const double decay = random() % 2 ? 0.3 : 0.05;
    for (std::size_t i = size; i-- > 0;) tail[i] = discount[i + 1] + (1 - decay) * tail[i + 1];
    std::vector<std::int32_t> grades(size, Document::unjudged);
    const bool judged = random() % 2;
    for (std::size_t i = 0; judged && i < size; i += 7) grades[i] = static_cast<std::int32_t>(i % 3);
    Matching matching;
    matching.match({lists.before, {}}, {lists.after, {}}, grades, judged);
    double least = 0, most = 1e9;
    for (const std::size_t effort : {std::size_t{1}, std::size_t{3000}, std::size_t{100000}}) {
        const Cascade cascade(discount, tail, {0.0, 0.25, 1.0}, decay, 1.0, effort);
        const Difference found = cascade.difference(matching, Unseen::anything);
        if (found.med > most + 1e-12 || found.med + found.gap < least - 1e-12) fail("an interval", found.med, most);
        least = std::max(least, found.med);
        most = std::min(most, found.med + found.gap);
    }
}

}  // namespace

int main(int count, char** arguments) {
    const long rounds = count > 1 ? std::atol(arguments[1]) : 2000;
    Random random(count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1);
    for (long round = 0; round < rounds; ++round) check_small(random);
    for (long round = 0; round < rounds / 100; ++round) check_large(random);
    std::printf("%ld problems: all solved\n", rounds);
}
