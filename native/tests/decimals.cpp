// Numbers and their digits as platform/portable.hpp has them, for tests/test_portable.py. Reads tokens, one per line,
// and prints for each its bits as a double, how far it was read, and the digits of that double; or why it is no number.
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <iostream>
#include <string>

#include "platform/portable.hpp"

int main() {
    for (std::string token; std::getline(std::cin, token);) {
        double value = 1;  // stays where the token is no number, or one beyond the range
        const char* const first = token.data();
        const auto read = medir::from_chars(first, first + token.size(), value);
        char digits[32];
        const auto written = medir::to_chars(digits, std::end(digits), value);
        const char* problem = read.ec == std::errc{}                      ? "read"
                              : read.ec == std::errc::result_out_of_range ? "range"
                                                                          : "invalid";
        std::printf("%016" PRIx64 " %td %s %.*s\n", std::bit_cast<std::uint64_t>(value), read.ptr - first, problem,
                    static_cast<int>(written.ptr - digits), digits);
    }
}
