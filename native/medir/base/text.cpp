#include "base/text.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace medir {

Text Text::map(const std::string& path) {
    Text text(path);
    try {
        text.file_ = FileBytes(path, padding);
    } catch (const std::system_error& error) {
        throw InputError(path, 0, "", "cannot be read: " + error.code().message(), "");
    }
    text.begin_ = text.file_.begin();
    text.size_ = text.file_.size();
    return text;
}

Text Text::copy(std::string name, std::string_view bytes) {
    Text text(std::move(name));
    text.owned_.reserve(bytes.size() + padding);
    text.owned_.assign(bytes.begin(), bytes.end());
    text.owned_.resize(bytes.size() + padding, '\0');
    text.begin_ = text.owned_.data();
    text.size_ = bytes.size();
    return text;
}

Text::Text(Text&& other) noexcept
    : name_(std::move(other.name_)),
      begin_(std::exchange(other.begin_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      file_(std::move(other.file_)),
      owned_(std::move(other.owned_)) {}

Text& Text::operator=(Text&& other) noexcept {
    std::swap(name_, other.name_);
    std::swap(begin_, other.begin_);
    std::swap(size_, other.size_);
    std::swap(file_, other.file_);
    std::swap(owned_, other.owned_);
    return *this;
}

std::uint64_t Text::line_number(const char* position) const {
    return 1 + static_cast<std::uint64_t>(std::count(begin_, std::min(position, end()), '\n'));
}

InputError Text::error(const char* position, std::string problem, std::string remedy) const {
    position = std::min(position, end());
    const char* first = position;
    while (first > begin_ && first[-1] != '\n') --first;
    const char* last = std::find(position, end(), '\n');
    if (last > first && last[-1] == '\r') --last;
    return InputError(name_, line_number(position), std::string(first, last), std::move(problem), std::move(remedy));
}

}  // namespace medir
