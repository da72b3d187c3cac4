#include "drivers/checking.hpp"

#include <algorithm>
#include <vector>

#include "base/parallel.hpp"
#include "pairs/matching.hpp"

namespace medir {

int check_judgments(const Lists& qrels, Intents intents, int threads) {
    std::vector<int> highest(static_cast<std::size_t>(threads), 0);
    parallel_blocks(qrels.queries(), 64, threads, nullptr, [&](std::size_t first, std::size_t last, int thread) {
        Matching matching;
        const Reading reading{0, Repeats::error, intents, Ties::ignored, {UnseenRule::nothing, {}}};
        int& high = highest[static_cast<std::size_t>(thread)];
        for (std::size_t query = first; query < last; ++query) {
            matching.match({nullptr, 0, 0}, {nullptr, 0, 0}, &qrels, query, reading, qrels.has_numbers());
            for (const Document& document : matching.documents()) high = std::max(high, document.grade);
        }
    });
    return *std::max_element(highest.begin(), highest.end());
}

}  // namespace medir
