// What every harness has: one function that tries one input, whatever the bytes, and ends the process where a check
// fails. libFuzzer drives it (coverage_guided.cpp), or a plain program (plain.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace medir::fuzz {

void try_input(std::string_view bytes);

inline void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "wrong: %s\n", what);
    std::abort();
}

// The same, with the text that was read.
inline void require(bool holds, const char* what, std::string_view text) {
    if (holds) return;
    std::fprintf(stderr, "wrong: %s, for the text\n", what);
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fprintf(stderr, "\n");
    std::abort();
}

// Choices, taken from the end of the bytes, so that an input for a reader of text looks like that text. Nothing is left
// but zeros once all bytes are used up.
class Choices {
public:
    explicit Choices(std::string_view bytes) : left_(bytes) {}

    std::uint8_t byte() {
        if (left_.empty()) return 0;
        const auto last = static_cast<std::uint8_t>(left_.back());
        left_.remove_suffix(1);
        return last;
    }
    // A number below `end`, which is at most 256.
    std::size_t below(std::size_t end) { return byte() % end; }
    bool flag() { return byte() % 2 == 1; }
    template <class Value, std::size_t size>
    const Value& one_of(const Value (&values)[size]) {
        return values[below(size)];
    }
    bool empty() const { return left_.empty(); }
    // What no choice has taken.
    std::string_view text() const { return left_; }

private:
    std::string_view left_;
};

}  // namespace medir::fuzz
