// A failing allocator under every reader and driver: each allocation fails in turn, alone or with all that follow. The
// failure reaches the caller, nothing leaks (the address sanitizer sees it), and a second try computes the right bytes.
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "workload.hpp"

namespace {

std::atomic<long> until_failure{-1};  // allocations that succeed; negative where none fails
std::atomic<bool> goes_on{false};     // whether all fail after the first that does
std::atomic<long> failures{0};

bool fails() {
    if (until_failure.load(std::memory_order_relaxed) < 0) return false;
    const long left = until_failure.fetch_sub(1);
    if (left > 0) return false;
    if (goes_on) until_failure = 0;
    ++failures;
    return true;
}

void* allocate(std::size_t size, std::size_t alignment) {
    if (fails()) return nullptr;
    if (alignment <= alignof(std::max_align_t)) return std::malloc(size == 0 ? 1 : size);
    return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
    void* const memory = allocate(size, alignment);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

void* operator new(std::size_t size) { return allocate_or_throw(size, 1); }
void* operator new[](std::size_t size) { return allocate_or_throw(size, 1); }
void* operator new(std::size_t size, std::align_val_t to) {
    return allocate_or_throw(size, static_cast<std::size_t>(to));
}
void* operator new[](std::size_t size, std::align_val_t to) {
    return allocate_or_throw(size, static_cast<std::size_t>(to));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 1); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 1); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace {

using medir::tests::Work;

enum class End { right, wrong, thrown };

// One try in which the allocation behind the first `succeeding` fails.
End attempt(const Work& work, int threads, long succeeding, bool all_that_follow, const std::string& expected) {
    goes_on = all_that_follow;
    until_failure = succeeding;
    try {
        const std::string found = work.run(threads);
        until_failure = -1;
        return found == expected ? End::right : End::wrong;
    } catch (const std::bad_alloc&) {
        until_failure = -1;
        return End::thrown;
    }
}

// Returns how many allocations failed.
long try_all(const Work& work, int threads, bool all_that_follow, long step) {
    const std::string expected = work.run(threads);
    failures = 0;
    for (long succeeding = 0;; succeeding += step) {
        const long before = failures;
        const End end = attempt(work, threads, succeeding, all_that_follow, expected);
        // Work may go on with less: with fewer threads, or without memory that it asks for to be faster.
        const bool failed = failures > before;
        if (end == End::wrong || (end == End::thrown && !failed) || work.run(threads) != expected) {
            std::fprintf(stderr, "wrong: %s with %d threads, where allocation %ld fails\n", work.name.c_str(), threads,
                         succeeding + 1);
            std::exit(1);
        }
        if (!failed) return failures;
    }
}

}  // namespace

// Usage: allocations [STEP]; with a step of n, every n-th allocation fails in turn.
int main(int count, char** arguments) {
    using namespace medir::tests;
    const long step = count > 1 ? std::atol(arguments[1]) : 1;
    constexpr long of_threads = 37;  // there are many more allocations where there is work for threads
    long failed = 0;
    for (const bool all_that_follow : {false, true}) {
        for (const auto& works : {readings(3, 4), comparisons(3, 4)})
            for (const Work& work : works) failed += try_all(work, 1, all_that_follow, step);
        for (const auto& works : {readings(200, 2), comparisons(200, 2)})
            for (const Work& work : works) failed += try_all(work, 3, all_that_follow, of_threads * step);
    }
    std::printf("%ld allocations failed: all were reported\n", failed);
    return failed > 0 ? 0 : 1;
}
