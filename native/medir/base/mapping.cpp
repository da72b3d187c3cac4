#include "base/mapping.hpp"

#include <atomic>
#include <cstdint>
#include <cstring>

#include "base/parallel.hpp"

namespace medir {

#if defined(MEDIR_MAPS_FILES)

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

bool Mapping::repair(char* address) {
    Region* const region = Region::around(address);
    if (region == nullptr) return false;
    region->damaged = true;
    char* const page = address - reinterpret_cast<std::uintptr_t>(address) % page_size();
    return lay_zeros_over(page, static_cast<std::size_t>(region->end.load() - page));
}

Mapping::Mapping(const std::string& path) : path_(path) {
    PageFaults::install(&Mapping::repair);
    const OpenFile file(path);
    stamp_ = file.stamp();
    size_ = static_cast<std::size_t>(stamp_.size);
    mapped_ = size_ / page_size() * page_size() + 2 * page_size();
    char* const base = reserve_pages(mapped_);
    begin_ = base;
    try {
        lay(file, base);
    } catch (...) {
        if (region_ != nullptr) region_->release();
        release_pages(base, mapped_);
        throw;
    }
}

// The whole pages of the file over the start of the mapping, and the rest of it behind them.
void Mapping::lay(const OpenFile& file, char* base) {
    region_ = Region::take();
    region_->cover(base, base + mapped_);
    const std::size_t whole = size_ / page_size() * page_size();
    if (whole > 0) file.lay_over(base, whole);
    // The end of the last page is read, not mapped: the zeros behind it stay, also where the file grows.
    char* const tail = base + whole;
    if (file.read(tail, size_ - whole, whole) < size_ - whole) region_->damaged = true;
    make_read_only(tail, mapped_ - whole);
}

// The system takes long to take back the pages of a large file one by one.
Mapping::~Mapping() {
    constexpr std::size_t share = std::size_t{64} << 20;
    constexpr int threads = 4;
    char* const base = const_cast<char*>(begin_);
    region_->release();
    if (mapped_ > share)
        parallel_blocks(mapped_, share, threads, nullptr,
                        [&](std::size_t first, std::size_t last, int) { forget_pages(base + first, last - first); });
    release_pages(base, mapped_);
}

Mapping::State Mapping::state() const {
    const auto now = FileStamp::of(path_);
    const bool is_same_file = now && now->is_same_file(stamp_);
    if (is_same_file && *now != stamp_) return State::changed;
    if (!region_->damaged) return State::intact;
    return is_same_file ? State::unreadable : State::changed;
}

bool Mapping::is_current() const { return FileStamp::of(path_) == stamp_ && !region_->damaged; }

Mapping::Copies::Copies(const Mapping& mapping) : file_(mapping.path_) {
    if (file_.stamp() != mapping.stamp_)
        throw std::system_error(std::make_error_code(std::errc::no_such_file_or_directory));
}

void Mapping::Copies::read(char* to, std::size_t size, std::size_t from) const {
    if (file_.read(to, size, from) < size) throw std::system_error(std::make_error_code(std::errc::io_error));
}

#else

Mapping::Mapping(const std::string& path) : bytes_(read_file(path, padding)) {
    begin_ = bytes_.data();
    size_ = bytes_.size() - padding;
}

Mapping::~Mapping() = default;

Mapping::State Mapping::state() const { return State::intact; }  // what was read stays as it is

bool Mapping::is_current() const { return false; }

Mapping::Copies::Copies(const Mapping& mapping) : mapping_(mapping) {}

void Mapping::Copies::read(char* to, std::size_t size, std::size_t from) const {
    std::memcpy(to, mapping_.begin() + from, size);
}

#endif

}  // namespace medir
