// Work for all readers and drivers of the core, each with the bytes of what it computed.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace medir::tests {

struct Work {
    std::string name;
    // Returns what was computed, which must be the same for any number of threads.
    std::function<std::string(int threads)> run;
};

// Over runs of so many queries, with lists of so many results.
std::vector<Work> readings(std::size_t queries, std::size_t results);
std::vector<Work> comparisons(std::size_t queries, std::size_t results);

}  // namespace medir::tests
