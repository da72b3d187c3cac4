// What is not the same on every system, compiler, processor and standard library, each with an alternative in standard
// C++. Nothing of it occurs outside of this room (tests/test_portable.py reads all files). MEDIR_PORTABLE selects the
// alternatives everywhere.
#pragma once

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "platform/decimals.hpp"
#include "platform/plain_digits.hpp"
#include "platform/products.hpp"

#if !defined(MEDIR_PORTABLE) && __has_include(<sys/mman.h>)
#define MEDIR_MAPS_FILES
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#elif defined(_WIN32)
#include <filesystem>
#endif

// For functions in the loop over all lines of a text; behind the parameters of a lambda, for it.
#if !defined(MEDIR_PORTABLE) && defined(__GNUC__)
#define MEDIR_ALWAYS_INLINE __attribute__((always_inline)) inline
#define MEDIR_INLINE_LAMBDA __attribute__((always_inline))
#else
#define MEDIR_ALWAYS_INLINE inline
#define MEDIR_INLINE_LAMBDA
#endif

namespace medir {

// ---------------------------------------------------------------------------------------------------------------------
// Asks for memory that will be read, or written, soon. Text that is read on and on is asked for so many bytes in front:
// the processor itself does not look beyond a page.
inline constexpr std::ptrdiff_t far_ahead = 1024;

#if !defined(MEDIR_PORTABLE) && defined(__GNUC__)
inline void prefetch(const void* p) { __builtin_prefetch(p); }
inline void prefetch_to_write(const void* p) { __builtin_prefetch(p, 1); }
#else
inline void prefetch(const void*) {}
inline void prefetch_to_write(const void*) {}
#endif

// That memory is better had in a few large pages than in many small ones.
#if defined(MEDIR_MAPS_FILES) && defined(MADV_HUGEPAGE)
inline void prefer_large_pages(void* pages, std::size_t size) { ::madvise(pages, size, MADV_HUGEPAGE); }
#else
inline void prefer_large_pages(void*, std::size_t) {}
#endif

// ---------------------------------------------------------------------------------------------------------------------
// Files as memory: mapped by pages where the system can, and read elsewhere.

#if defined(MEDIR_MAPS_FILES)

// What tells that a file was written to.
struct FileStamp {
    std::uint64_t device = 0, number = 0, size = 0;
    std::int64_t seconds = 0, nanoseconds = 0;

    bool is_same_file(const FileStamp& other) const { return device == other.device && number == other.number; }
    bool operator==(const FileStamp&) const = default;

    static std::optional<FileStamp> of(const std::string& path) {
        struct stat facts;
        if (::stat(path.c_str(), &facts) != 0) return std::nullopt;
        return of(facts);
    }
    static FileStamp of(const struct stat& facts) {
#if defined(__APPLE__)
        const struct timespec& time = facts.st_mtimespec;
#else
        const struct timespec& time = facts.st_mtim;
#endif
        return {static_cast<std::uint64_t>(facts.st_dev), static_cast<std::uint64_t>(facts.st_ino),
                static_cast<std::uint64_t>(facts.st_size), static_cast<std::int64_t>(time.tv_sec),
                static_cast<std::int64_t>(time.tv_nsec)};
    }
};

[[noreturn]] inline void throw_system_error() { throw std::system_error(errno, std::generic_category()); }

// Open for reading; what fails throws std::system_error.
class OpenFile {
public:
    explicit OpenFile(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        if (descriptor_ < 0) throw_system_error();
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    ~OpenFile() { ::close(descriptor_); }

    FileStamp stamp() const {
        struct stat facts;
        if (::fstat(descriptor_, &facts) != 0) throw_system_error();
        if (S_ISDIR(facts.st_mode)) throw std::system_error(EISDIR, std::generic_category());
        return FileStamp::of(facts);
    }
    // Fewer bytes than were asked for where the file is shorter.
    std::size_t read(char* to, std::size_t size, std::size_t from) const {
        std::size_t done = 0;
        while (done < size) {
            const ssize_t got = ::pread(descriptor_, to + done, size - done, static_cast<off_t>(from + done));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) throw_system_error();
            if (got == 0) break;
            done += static_cast<std::size_t>(got);
        }
        return done;
    }
    // Lays the first bytes of the file over pages that were reserved.
    void lay_over(char* pages, std::size_t size) const {
        if (::mmap(pages, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, descriptor_, 0) == MAP_FAILED) throw_system_error();
    }

private:
    const int descriptor_;
};

inline std::size_t page_size() {
    static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return size;
}
// Pages of zeros that can be written to.
inline char* reserve_pages(std::size_t size) {
    void* const pages = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw_system_error();
    return static_cast<char*>(pages);
}
inline void make_read_only(char* pages, std::size_t size) { ::mprotect(pages, size, PROT_READ); }
inline void release_pages(char* pages, std::size_t size) { ::munmap(pages, size); }
// What pages of a file hold is not needed any more; several threads may say so at once, of parts of a mapping.
inline void forget_pages(char* pages, std::size_t size) { ::madvise(pages, size, MADV_DONTNEED); }
// Whether it could be done; also for handlers of signals.
inline bool lay_zeros_over(char* pages, std::size_t size) {
    return ::mmap(pages, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

// Pages of files that can no longer be read: the system sends SIGBUS to whoever reads them.
class PageFaults {
public:
    // Is asked, within a handler of signals, to put other memory where a page is missing.
    using Repair = bool (*)(char* address);

    // What is not repaired goes to the handler that was there before.
    static void install(Repair repair) {
        static std::once_flag once;
        std::call_once(once, [&] {
            page_size();
            repair_ = repair;
            struct sigaction ours = {};
            ours.sa_sigaction = &PageFaults::handle;
            ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
            sigemptyset(&ours.sa_mask);
            // In this order, so that the handler never runs without knowing whom to pass a signal on to.
            if (::sigaction(SIGBUS, nullptr, &previous_) != 0 || ::sigaction(SIGBUS, &ours, nullptr) != 0)
                throw_system_error();
        });
    }

private:
    static void handle(int signal, siginfo_t* info, void* context) {
        const int problem = errno;
        const bool is_fault = info->si_code > 0;  // not sent by a process
        if (!is_fault || !repair_(static_cast<char*>(info->si_addr))) pass_on(signal, info, context);
        errno = problem;
    }

    // As if we had not been there.
    static void pass_on(int signal, siginfo_t* info, void* context) {
        if ((previous_.sa_flags & SA_SIGINFO) != 0) {
            previous_.sa_sigaction(signal, info, context);
            return;
        }
        const bool was_sent = info->si_code <= 0;
        if (previous_.sa_handler == SIG_IGN && was_sent) return;
        if (previous_.sa_handler != SIG_DFL && previous_.sa_handler != SIG_IGN) {
            previous_.sa_handler(signal);
            return;
        }
        struct sigaction plain = {};
        plain.sa_handler = SIG_DFL;
        ::sigaction(signal, &plain, nullptr);
        if (was_sent) ::raise(signal);  // a fault comes again by itself
    }

    static inline Repair repair_ = nullptr;
    static inline struct sigaction previous_ = {};
};

#else

// All bytes of a file, and zeros behind them. What fails throws std::system_error.
inline std::vector<char> read_file(const std::string& path, std::size_t padding) {
#if defined(_WIN32)
    std::FILE* const opened = ::_wfopen(std::filesystem::path(std::u8string(path.begin(), path.end())).c_str(), L"rb");
#else
    std::FILE* const opened = std::fopen(path.c_str(), "rb");
#endif
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(opened, &std::fclose);
    if (file == nullptr) throw std::system_error(errno, std::generic_category());
    constexpr std::size_t least = std::size_t{1} << 16;
    std::vector<char> bytes;
    std::size_t size = 0;
    for (std::size_t got = 1; got > 0; size += got) {
        bytes.resize(std::max(least, size + size / 2));
        got = std::fread(bytes.data() + size, 1, bytes.size() - size, file.get());
    }
    if (std::ferror(file.get()) != 0) throw std::system_error(errno, std::generic_category());
    bytes.resize(size);
    bytes.resize(size + padding, '\0');
    return bytes;
}

#endif

// ---------------------------------------------------------------------------------------------------------------------
// Whole numbers of 128 bits.

// Both halves of a product, one upon the other.
inline std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
    const Product product = product_of(a, b);
    return product.low ^ product.high;
}

#if !defined(MEDIR_PORTABLE) && defined(__SIZEOF_INT128__)

using Whole128 = __int128;
using Natural128 = unsigned __int128;

#else

// As far as medir computes with them; as two's complement, in the order of the processor's own.
class Whole128 {
public:
    constexpr Whole128() = default;
    template <std::integral Number>
    constexpr Whole128(Number number)
        : low_(static_cast<std::uint64_t>(number)), high_(number < 0 ? ~std::uint64_t{0} : 0) {}

    template <std::integral Number>
    constexpr explicit operator Number() const {
        return static_cast<Number>(low_);
    }
    explicit operator double() const { return is_negative() ? -(-*this).magnitude() : magnitude(); }

    constexpr bool is_negative() const { return high_ >> 63 != 0; }

    constexpr Whole128 operator-() const { return {~low_ + 1, ~high_ + (low_ == 0)}; }
    friend constexpr Whole128 operator+(Whole128 a, Whole128 b) {
        const std::uint64_t low = a.low_ + b.low_;
        return {low, a.high_ + b.high_ + (low < a.low_)};
    }
    friend constexpr Whole128 operator-(Whole128 a, Whole128 b) { return a + -b; }
    friend constexpr Whole128 operator*(Whole128 a, Whole128 b) {
        const Product product = product_of(a.low_, b.low_);
        return {product.low, product.high + a.low_ * b.high_ + a.high_ * b.low_};
    }
    // By a divisor from 1 to 2^32 - 1.
    friend constexpr Whole128 operator/(Whole128 a, std::uint32_t divisor) {
        return a.is_negative() ? -divided(-a, divisor).first : divided(a, divisor).first;
    }
    friend constexpr Whole128 operator%(Whole128 a, std::uint32_t divisor) {
        return a.is_negative() ? -divided(-a, divisor).second : divided(a, divisor).second;
    }
    // By 0 to 127.
    friend constexpr Whole128 operator<<(Whole128 a, std::size_t by) {
        if (by == 0) return a;
        if (by >= 64) return {0, a.low_ << (by - 64)};
        return {a.low_ << by, a.high_ << by | a.low_ >> (64 - by)};
    }

    friend constexpr bool operator==(Whole128 a, Whole128 b) = default;
    friend constexpr std::strong_ordering operator<=>(Whole128 a, Whole128 b) {
        if (a.is_negative() != b.is_negative()) return b.is_negative() <=> a.is_negative();
        return a.high_ != b.high_ ? a.high_ <=> b.high_ : a.low_ <=> b.low_;
    }

private:
    constexpr Whole128(std::uint64_t low, std::uint64_t high) : low_(low), high_(high) {}

    double magnitude() const {
        if (high_ == 0) return static_cast<double>(low_);
        // 64 bits from the first that is set; whether any is set below them is all that rounding asks for.
        const int drop = 64 - std::countl_zero(high_);
        const Whole128 first = *this >> drop;
        const bool rest = first << static_cast<std::size_t>(drop) != *this;
        return std::ldexp(static_cast<double>(first.low_ | static_cast<std::uint64_t>(rest)), drop);
    }
    // Without regard to a sign, by 1 to 64.
    constexpr Whole128 operator>>(int by) const {
        return by == 64 ? Whole128{high_, 0} : Whole128{low_ >> by | high_ << (64 - by), high_ >> by};
    }
    static constexpr std::pair<Whole128, Whole128> divided(Whole128 a, std::uint64_t divisor) {
        constexpr std::uint64_t half = 0xffffffffu;
        const std::uint64_t upper = (a.high_ % divisor) << 32 | a.low_ >> 32;
        const std::uint64_t lower = (upper % divisor) << 32 | (a.low_ & half);
        return {Whole128{(upper / divisor) << 32 | lower / divisor, a.high_ / divisor}, Whole128(lower % divisor)};
    }

    std::uint64_t low_ = 0, high_ = 0;
};

#endif

// ---------------------------------------------------------------------------------------------------------------------
// Numbers and their digits, as std::from_chars and std::to_chars have them, which older libraries lack for doubles.

template <std::integral Number>
std::from_chars_result from_chars(const char* first, const char* last, Number& value, int base = 10) {
    return std::from_chars(first, last, value, base);
}
template <std::integral Number>
std::to_chars_result to_chars(char* first, char* last, Number value) {
    return std::to_chars(first, last, value);
}

#if !defined(MEDIR_PORTABLE) && defined(__cpp_lib_to_chars) && __cpp_lib_to_chars >= 201611L

inline std::from_chars_result from_chars(const char* first, const char* last, double& value) {
    return std::from_chars(first, last, value);
}
inline std::to_chars_result to_chars(char* first, char* last, double value) {
    char* const plain = last - first < static_cast<std::ptrdiff_t>(plain_room) ? nullptr : write_plain(first, value);
    return plain != nullptr ? std::to_chars_result{plain, std::errc{}} : std::to_chars(first, last, value);
}

#else

inline std::from_chars_result from_chars(const char* first, const char* last, double& value) {
    double read = 0;
    const auto result = decimal_from_chars(first, last, read);
    if (result.ec == std::errc{}) value = read;
    return result;
}
inline std::to_chars_result to_chars(char* first, char* last, double value) {
    return decimal_to_chars(first, last, value);
}

#endif

}  // namespace medir
