// The bytes of an input: a mapped file, or a buffer that was read or decompressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "base/mapping.hpp"

namespace medir {

// At least `padding` readable zero bytes follow the end, so that scanning may read a whole word at any position.
// The bytes of a mapped file may change at any time: who reads stays within the text, whatever it finds there, and
// calls check() before anything that came of it is handed on.
class Text {
public:
    static constexpr std::size_t padding = Mapping::padding;

    static Text map(const std::string& path);
    static Text copy(std::string name, std::string_view bytes);

    const char* begin() const { return begin_; }
    const char* end() const { return begin_ + size_; }
    std::size_t size() const { return size_; }
    const std::string& name() const { return name_; }

    // Throws an error where the file has changed since it was mapped.
    void check() const;
    // Whether the file that it was mapped from is still there, as it was.
    bool is_current() const { return mapping_ != nullptr && mapping_->is_current(); }
    // Copies of parts of it. Throws std::system_error where the file is no longer what it was.
    class Copies {
    public:
        explicit Copies(const Text& text);
        // With `padding` zero bytes behind them.
        void read(char* to, std::size_t size, std::size_t from) const;

    private:
        const Text& text_;
        std::optional<Mapping::Copies> of_file_;
    };
    // An error about the line that holds `position`, or about the whole text. Where the file has changed, it is about
    // that: nothing else that was found in it counts.
    InputError error(const char* position, std::string problem, std::string remedy) const;
    InputError error(std::string problem, std::string remedy) const;
    // That the text is not what it was when it was first looked at.
    InputError changed() const;
    std::uint64_t line_number(const char* position) const;

private:
    Text(std::string name) : name_(std::move(name)) {}
    std::optional<InputError> change() const;

    std::string name_;
    const char* begin_ = nullptr;
    std::size_t size_ = 0;
    std::unique_ptr<const Mapping> mapping_;
    std::vector<char> owned_;
};

}  // namespace medir
