// The bytes of an input: a mapped file, or a buffer that was read or decompressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "base/portable.hpp"

namespace medir {

// At least `padding` readable zero bytes follow the end, so that scanning may read a whole word at any position.
class Text {
public:
    static constexpr std::size_t padding = 64;

    static Text map(const std::string& path);
    static Text copy(std::string name, std::string_view bytes);

    Text(Text&& other) noexcept;
    Text& operator=(Text&& other) noexcept;

    const char* begin() const { return begin_; }
    const char* end() const { return begin_ + size_; }
    std::size_t size() const { return size_; }
    const std::string& name() const { return name_; }

    // An error about the line that holds `position`.
    InputError error(const char* position, std::string problem, std::string remedy) const;
    std::uint64_t line_number(const char* position) const;

private:
    Text(std::string name) : name_(std::move(name)) {}

    std::string name_;
    const char* begin_ = nullptr;
    std::size_t size_ = 0;
    FileBytes file_;           // holds the bytes of a file,
    std::vector<char> owned_;  // and this those that were copied
};

}  // namespace medir
