// A harness without libFuzzer, for any compiler: tries every file of a folder, then changed copies of them.
// Usage: HARNESS FOLDER [ROUNDS [SEED]]
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "harness.hpp"

namespace {

using Random = std::mt19937_64;

std::vector<std::string> inputs_of(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> paths;
    for (const auto& file : std::filesystem::directory_iterator(folder))
        if (file.is_regular_file()) paths.push_back(file.path());
    std::sort(paths.begin(), paths.end());
    std::vector<std::string> inputs;
    for (const auto& path : paths) {
        std::ifstream file(path, std::ios::binary);
        inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return inputs;
}

// Part of a text: where it begins, and how long it is.
std::pair<std::size_t, std::size_t> stretch(const std::string& text, Random& random) {
    const std::size_t first = random() % (text.size() + 1);
    return {first, std::min<std::size_t>(random() % 24, text.size() - first)};
}

void change(std::string& text, const std::vector<std::string>& inputs, Random& random) {
    const auto [first, size] = stretch(text, random);
    switch (random() % 5) {
        case 0:
            text.erase(first, size);
            break;
        case 1:
            text.insert(random() % (text.size() + 1), text.substr(first, size));
            break;
        case 2:
            text.insert(first, 1, static_cast<char>(random()));
            break;
        case 3: {
            const std::string& other = inputs[random() % inputs.size()];
            const auto [start, count] = stretch(other, random);
            text.insert(first, other, start, count);
            break;
        }
        default:
            if (!text.empty()) text[random() % text.size()] = static_cast<char>(random());
    }
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 2) {
        std::fprintf(stderr, "usage: %s FOLDER [ROUNDS [SEED]]\n", arguments[0]);
        return 2;
    }
    const std::vector<std::string> inputs = inputs_of(arguments[1]);
    for (const std::string& input : inputs) medir::fuzz::try_input(input);
    const long rounds = count > 2 ? std::atol(arguments[2]) : 0;
    Random random(count > 3 ? std::strtoull(arguments[3], nullptr, 10) : 1);
    constexpr std::size_t longest = 1024;
    for (long round = 0; !inputs.empty() && round < rounds; ++round) {
        std::string text = inputs[random() % inputs.size()];
        for (std::size_t changes = 1 + random() % 4; changes > 0; --changes) change(text, inputs, random);
        medir::fuzz::try_input(std::string_view(text).substr(0, longest));
    }
    std::printf("%zu inputs, %ld changed\n", inputs.size(), rounds);
    return inputs.empty() ? 1 : 0;
}
