#include "base/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

namespace medir {

namespace {

InputError unreadable(const std::string& name, const std::string& reason) {
    return InputError(name, 0, "", "cannot be read: " + reason, "");
}

}  // namespace

Text Text::map(const std::string& path) {
    Text text(path);
    try {
        text.mapping_ = std::make_unique<const Mapping>(path);
    } catch (const std::system_error& error) {
        if (error.code().value() == ENOMEM) throw std::bad_alloc();
        throw unreadable(path, error.code().message());
    }
    text.begin_ = text.mapping_->begin();
    text.size_ = text.mapping_->size();
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

Text::Copies::Copies(const Text& text) : text_(text) {
    if (text.mapping_ != nullptr) of_file_.emplace(*text.mapping_);
}

void Text::Copies::read(char* to, std::size_t size, std::size_t from) const {
    if (of_file_)
        of_file_->read(to, size, from);
    else
        std::memcpy(to, text_.begin() + from, size);
    std::memset(to + size, 0, padding);
}

std::optional<InputError> Text::change() const {
    if (mapping_ == nullptr) return std::nullopt;
    const Mapping::State state = mapping_->state();
    if (state == Mapping::State::intact) return std::nullopt;
    if (state == Mapping::State::unreadable) return unreadable(name_, std::generic_category().message(EIO));
    return changed();
}

InputError Text::changed() const {
    return InputError(name_, 0, "", "changed while it was being read",
                      "Wait until the file is complete, then run this again; or read a copy of it.");
}

void Text::check() const {
    if (const auto problem = change()) throw *problem;
}

std::uint64_t Text::line_number(const char* position) const {
    return 1 + static_cast<std::uint64_t>(std::count(begin_, std::clamp(position, begin_, end()), '\n'));
}

InputError Text::error(const char* position, std::string problem, std::string remedy) const {
    if (const auto other = change()) return *other;
    position = std::clamp(position, begin_, end());
    const char* first = position;
    while (first > begin_ && first[-1] != '\n') --first;
    const char* last = std::find(position, end(), '\n');
    if (last > first && last[-1] == '\r') --last;
    return InputError(name_, line_number(position), std::string(first, last), std::move(problem), std::move(remedy));
}

InputError Text::error(std::string problem, std::string remedy) const {
    if (const auto other = change()) return *other;
    return InputError(name_, 0, "", std::move(problem), std::move(remedy));
}

}  // namespace medir
