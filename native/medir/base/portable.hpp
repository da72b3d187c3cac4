// What is not the same on every system and processor, each with an alternative in standard C++. Nothing of it occurs in
// other files (tests/test_portable.py reads them). MEDIR_PORTABLE selects the alternatives everywhere.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#if !defined(MEDIR_PORTABLE) && __has_include(<sys/mman.h>)
#define MEDIR_MAPS_FILES
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#elif defined(_WIN32)
#include <filesystem>
#endif

namespace medir {

// ---------------------------------------------------------------------------------------------------------------------
// The bytes of a file, mapped where the system can and read into memory elsewhere. At least `padding` zero bytes can be
// read behind them.

#if defined(MEDIR_MAPS_FILES)

class FileBytes {
public:
    FileBytes() = default;
    FileBytes(const std::string& path, std::size_t padding) {
        const File file(path);
        struct stat facts;
        if (file.descriptor < 0 || ::fstat(file.descriptor, &facts) != 0) fail();
        size_ = static_cast<std::size_t>(facts.st_size);
        // The file is laid over the start of an anonymous mapping that is longer: its last pages are the padding.
        const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        const auto whole_pages = [&](std::size_t bytes) { return (bytes + page - 1) / page * page; };
        held_ = whole_pages(size_) + whole_pages(padding);
        void* base = ::mmap(nullptr, held_, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (base == MAP_FAILED) fail();
        begin_ = static_cast<const char*>(base);
        if (size_ == 0 || ::mmap(base, size_, PROT_READ, MAP_PRIVATE | MAP_FIXED, file.descriptor, 0) != MAP_FAILED)
            return;
        const int problem = errno;
        ::munmap(base, held_);
        errno = problem;
        fail();
    }
    FileBytes(FileBytes&& other) noexcept { swap(other); }
    FileBytes& operator=(FileBytes&& other) noexcept {
        swap(other);
        return *this;
    }
    ~FileBytes() {
        if (begin_ != nullptr) ::munmap(const_cast<char*>(begin_), held_);
    }

    const char* begin() const { return begin_; }
    std::size_t size() const { return size_; }

private:
    struct File {
        explicit File(const std::string& path) : descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
        ~File() {
            if (descriptor >= 0) ::close(descriptor);
        }
        const int descriptor;
    };

    [[noreturn]] static void fail() { throw std::system_error(errno, std::generic_category()); }
    void swap(FileBytes& other) {
        std::swap(begin_, other.begin_);
        std::swap(size_, other.size_);
        std::swap(held_, other.held_);
    }

    const char* begin_ = nullptr;
    std::size_t size_ = 0, held_ = 0;
};

#else

class FileBytes {
public:
    FileBytes() = default;
    FileBytes(const std::string& path, std::size_t padding) {
        const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(open(path), &std::fclose);
        if (file == nullptr) throw std::system_error(errno, std::generic_category());
        constexpr std::size_t least = std::size_t{1} << 16;
        std::size_t read = 0;
        do {
            size_ += read;
            bytes_.resize(std::max(least, size_ + size_ / 2) + padding);
            read = std::fread(bytes_.data() + size_, 1, bytes_.size() - size_ - padding, file.get());
        } while (read > 0);
        if (std::ferror(file.get()) != 0) throw std::system_error(errno, std::generic_category());
        bytes_.resize(size_);
        bytes_.resize(size_ + padding, '\0');
    }

    const char* begin() const { return bytes_.data(); }
    std::size_t size() const { return size_; }

private:
    static std::FILE* open(const std::string& path) {
#if defined(_WIN32)
        return ::_wfopen(std::filesystem::path(std::u8string(path.begin(), path.end())).c_str(), L"rb");
#else
        return std::fopen(path.c_str(), "rb");
#endif
    }

    std::vector<char> bytes_;
    std::size_t size_ = 0;
};

#endif

}  // namespace medir
