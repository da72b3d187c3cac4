// Every reader and driver with several threads computes the bytes that one thread computes. Built with the thread
// sanitizer, which sees data races.
#include <cstdio>
#include <stdexcept>

#include "base/fields.hpp"
#include "workload.hpp"

using namespace medir::tests;

namespace {

// Rows are written in order: where one cannot be made, or its text not be handed over, nobody waits for it.
bool rows_that_fail_are_reported(bool while_made) {
    constexpr std::size_t rows = 20000;
    try {
        medir::write_in_order(
            rows, 4,
            [&](std::string_view) {
                if (!while_made) throw std::runtime_error("full");
            },
            [&](std::size_t row, std::string& text) {
                if (while_made && row == 10) throw std::runtime_error("no memory");
                text += "row";
            });
    } catch (const std::runtime_error&) {
        return true;
    }
    return false;
}

}  // namespace

int main() {
    if (!rows_that_fail_are_reported(true) || !rows_that_fail_are_reported(false)) {
        std::fprintf(stderr, "wrong: rows that fail\n");
        return 1;
    }
    std::size_t count = 0;
    for (const auto& works : {readings(300, 12), comparisons(300, 12)})
        for (const Work& work : works) {
            const std::string expected = work.run(1);
            for (const int threads : {2, 4})
                if (work.run(threads) != expected) {
                    std::fprintf(stderr, "wrong: %s with %d threads\n", work.name.c_str(), threads);
                    return 1;
                }
            ++count;
        }
    std::printf("%zu kinds of work with 1, 2 and 4 threads: the same bytes\n", count);
}
