#include "base/text.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace medir {

namespace {

class File {
public:
    explicit File(const std::string& path) : descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
    ~File() {
        if (descriptor >= 0) ::close(descriptor);
    }
    const int descriptor;
};

InputError system_error(const std::string& path) {
    return InputError(path, 0, "", std::string("cannot be read: ") + std::strerror(errno), "");
}

}  // namespace

Text Text::map(const std::string& path) {
    File file(path);
    struct stat facts;
    if (file.descriptor < 0 || ::fstat(file.descriptor, &facts) != 0) throw system_error(path);
    Text text(path);
    text.size_ = static_cast<std::size_t>(facts.st_size);
    // The file is laid over the start of an anonymous mapping that is a page longer: its last page is the padding.
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    text.mapped_ = (text.size_ + page - 1) / page * page + page;
    void* base = ::mmap(nullptr, text.mapped_, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) {
        text.mapped_ = 0;
        throw system_error(path);
    }
    text.begin_ = static_cast<const char*>(base);
    if (text.size_ > 0 &&
        ::mmap(base, text.size_, PROT_READ, MAP_PRIVATE | MAP_FIXED, file.descriptor, 0) == MAP_FAILED)
        throw system_error(path);
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
      mapped_(std::exchange(other.mapped_, 0)),
      owned_(std::move(other.owned_)) {}

Text& Text::operator=(Text&& other) noexcept {
    std::swap(name_, other.name_);
    std::swap(begin_, other.begin_);
    std::swap(size_, other.size_);
    std::swap(mapped_, other.mapped_);
    std::swap(owned_, other.owned_);
    return *this;
}

Text::~Text() {
    if (mapped_ > 0) ::munmap(const_cast<char*>(begin_), mapped_);
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
