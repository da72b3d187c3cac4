// Work split over threads, a block of items at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace medir {

// How far a long call has come, and whether the caller wants it stopped. Shared with a watching thread.
struct Progress {
    std::atomic<std::size_t> done{0};
    std::atomic<bool> cancelled{false};
};

// Calls work(first, last, thread) for blocks that cover 0..count. The first exception stops all threads and is thrown.
template <class Work>
void parallel_blocks(std::size_t count, std::size_t block, int threads, Progress* progress, Work work) {
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr error;
    std::mutex guard;
    const auto run = [&](int thread) {
        try {
            while (!failed.load(std::memory_order_relaxed)) {
                const std::size_t first = next.fetch_add(block);
                if (first >= count || (progress != nullptr && progress->cancelled)) return;
                const std::size_t last = std::min(count, first + block);
                work(first, last, thread);
                if (progress != nullptr) progress->done += last - first;
            }
        } catch (...) {
            const std::scoped_lock lock(guard);
            if (!failed.exchange(true)) error = std::current_exception();
        }
    };
    const auto blocks = static_cast<int>(std::min<std::size_t>((count + block - 1) / block, 1024));
    std::vector<std::thread> others;
    for (int thread = 1; thread < std::min(threads, blocks); ++thread) others.emplace_back(run, thread);
    run(0);
    for (auto& other : others) other.join();
    if (error) std::rethrow_exception(error);
}

}  // namespace medir
