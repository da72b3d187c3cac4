#include "base/mapping.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <system_error>

#if !defined(MEDIR_PORTABLE) && __has_include(<sys/mman.h>)
#define MEDIR_MAPS_FILES
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace medir {

namespace {

std::system_error system_error(int code) { return std::system_error(code, std::generic_category()); }

}  // namespace

#if !defined(MEDIR_MAPS_FILES)

Mapping::Mapping(const std::string& path) : path_(path) {
#if defined(_WIN32)
    std::FILE* const opened = ::_wfopen(std::filesystem::path(std::u8string(path.begin(), path.end())).c_str(), L"rb");
#else
    std::FILE* const opened = std::fopen(path.c_str(), "rb");
#endif
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(opened, &std::fclose);
    if (file == nullptr) throw system_error(errno);
    constexpr std::size_t least = 1 << 16;
    for (std::size_t got = 1; got > 0; size_ += got) {
        bytes_.resize(std::max(least, size_ + size_ / 2));
        got = std::fread(bytes_.data() + size_, 1, bytes_.size() - size_, file.get());
    }
    if (std::ferror(file.get())) throw system_error(errno);
    bytes_.resize(size_);
    bytes_.resize(size_ + padding, '\0');
    begin_ = bytes_.data();
}

Mapping::~Mapping() = default;

Mapping::State Mapping::state() const { return State::intact; }  // what was read stays as it is

#else

// A mapping as the handler sees it. Regions are never freed, only used again.
struct Mapping::Region {
    std::atomic<bool> taken{true}, damaged{false};
    std::atomic<char*> begin{nullptr}, end{nullptr};
    Region* next = nullptr;

    static std::atomic<Region*> first;

    static Region* take() {
        for (Region* one = first.load(); one != nullptr; one = one->next)
            if (!one->taken.exchange(true)) return one;
        auto* added = new Region;
        added->next = first.load();
        while (!first.compare_exchange_weak(added->next, added)) continue;
        return added;
    }

    void cover(char* from, char* to) {
        damaged = false;
        end = to;
        begin = from;
    }

    void release() {
        begin = nullptr;
        taken = false;
    }

    // The region that holds an address. Nothing here takes a lock: a signal may have come at any moment.
    static Region* around(const char* address) {
        for (Region* one = first.load(); one != nullptr; one = one->next) {
            const char* from = one->begin.load();
            const char* to = one->end.load();
            if (from != nullptr && from <= address && address < to && from == one->begin.load()) return one;
        }
        return nullptr;
    }
};

std::atomic<Mapping::Region*> Mapping::Region::first{nullptr};
static_assert(std::atomic<char*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

namespace {

struct sigaction previous;  // what handled SIGBUS before
std::size_t page_size = 0;

// As if we had not been there.
void pass_on(int signal, siginfo_t* info, void* context) {
    if ((previous.sa_flags & SA_SIGINFO) != 0) {
        previous.sa_sigaction(signal, info, context);
        return;
    }
    const bool was_sent = info->si_code <= 0;  // by a process, not by a fault
    if (previous.sa_handler == SIG_IGN && was_sent) return;
    if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        previous.sa_handler(signal);
        return;
    }
    struct sigaction plain = {};
    plain.sa_handler = SIG_DFL;
    ::sigaction(signal, &plain, nullptr);
    if (was_sent) ::raise(signal);  // a fault comes again by itself
}

class File {
public:
    explicit File(const std::string& path) : descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        if (descriptor < 0) throw system_error(errno);
    }
    File(const File&) = delete;
    ~File() { ::close(descriptor); }

    // Fewer bytes than were asked for where the file is shorter.
    std::size_t read(char* to, std::size_t size, std::size_t from) const {
        std::size_t done = 0;
        while (done < size) {
            const ssize_t got = ::pread(descriptor, to + done, size - done, static_cast<off_t>(from + done));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) throw system_error(errno);
            if (got == 0) break;
            done += static_cast<std::size_t>(got);
        }
        return done;
    }

    const int descriptor;
};

}  // namespace

void Mapping::handle(int signal, void* details, void* context) {
    const int problem = errno;
    auto* info = static_cast<siginfo_t*>(details);
    Region* region = info->si_code > 0 ? Region::around(static_cast<const char*>(info->si_addr)) : nullptr;
    if (region != nullptr) {
        const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr) / page_size * page_size;
        auto* from = reinterpret_cast<char*>(address);
        const auto size = static_cast<std::size_t>(region->end.load() - from);
        region->damaged = true;
        if (::mmap(from, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
            region = nullptr;
    }
    if (region == nullptr) pass_on(signal, info, context);
    errno = problem;
}

void Mapping::install() {
    static std::once_flag once;
    std::call_once(once, [] {
        page_size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        struct sigaction ours = {};
        ours.sa_sigaction = [](int signal, siginfo_t* info, void* context) { handle(signal, info, context); };
        ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigemptyset(&ours.sa_mask);
        // In this order, so that the handler never runs without knowing whom to pass a signal on to.
        if (::sigaction(SIGBUS, nullptr, &previous) != 0 || ::sigaction(SIGBUS, &ours, nullptr) != 0)
            throw system_error(errno);
    });
}

Mapping::Stamp Mapping::stamp_of(const void* facts) {
    const auto& status = *static_cast<const struct stat*>(facts);
#if defined(__APPLE__)
    const struct timespec& time = status.st_mtimespec;
#else
    const struct timespec& time = status.st_mtim;
#endif
    return {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino),
            static_cast<std::uint64_t>(status.st_size), static_cast<std::int64_t>(time.tv_sec),
            static_cast<std::int64_t>(time.tv_nsec)};
}

Mapping::Mapping(const std::string& path) : path_(path) {
    install();
    const File file(path);
    struct stat facts;
    if (::fstat(file.descriptor, &facts) != 0) throw system_error(errno);
    if (S_ISDIR(facts.st_mode)) throw system_error(EISDIR);
    stamp_ = stamp_of(&facts);
    size_ = static_cast<std::size_t>(facts.st_size);
    mapped_ = size_ / page_size * page_size + 2 * page_size;
    void* base = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) throw system_error(errno);
    begin_ = static_cast<const char*>(base);
    try {
        map(file.descriptor);
        // The end of the last page is read, not mapped: the zeros behind it stay, also where the file grows.
        const std::size_t whole = size_ / page_size * page_size;
        char* const tail = static_cast<char*>(base) + whole;
        if (file.read(tail, size_ - whole, whole) < size_ - whole) region_->damaged = true;
        ::mprotect(tail, mapped_ - whole, PROT_READ);
    } catch (...) {
        if (region_ != nullptr) region_->release();
        ::munmap(base, mapped_);
        throw;
    }
}

// Lays the whole pages of the file over the start of the mapping.
void Mapping::map(int descriptor) {
    auto* base = const_cast<char*>(begin_);
    const std::size_t whole = size_ / page_size * page_size;
    region_ = Region::take();
    region_->cover(base, base + mapped_);
    if (whole > 0 && ::mmap(base, whole, PROT_READ, MAP_PRIVATE | MAP_FIXED, descriptor, 0) == MAP_FAILED)
        throw system_error(errno);
}

Mapping::~Mapping() {
    region_->release();
    ::munmap(const_cast<char*>(begin_), mapped_);
}

Mapping::State Mapping::state() const {
    struct stat facts;
    const bool is_there = ::stat(path_.c_str(), &facts) == 0;
    const Stamp now = is_there ? stamp_of(&facts) : Stamp{};
    const bool is_same_file = is_there && now.device == stamp_.device && now.number == stamp_.number;
    if (is_same_file && now != stamp_) return State::changed;
    if (!region_->damaged) return State::intact;
    return is_same_file ? State::unreadable : State::changed;
}

#endif

}  // namespace medir
