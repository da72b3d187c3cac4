// Work split over threads, a block of items at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "base/watch.hpp"

namespace medir {

// Threads that run beside the one that starts them, and are waited for before they go. Where the system cannot start
// another thread, there are fewer of them.
class Threads {
public:
    // Starts run(1), run(2), ..., run(count).
    template <class Run>
    Threads(int count, Run run) {
        threads_.reserve(static_cast<std::size_t>(std::max(count, 0)));
        try {
            for (int thread = 1; thread <= count; ++thread) threads_.emplace_back(run, thread);
        } catch (const std::system_error&) {
        } catch (const std::bad_alloc&) {
        }
    }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;
    ~Threads() {
        for (auto& thread : threads_) thread.join();
    }

    std::size_t size() const { return threads_.size(); }

private:
    std::vector<std::thread> threads_;
};

// Calls work(first, last, thread) for blocks that cover 0..count. The first exception stops all threads and is thrown.
// One block is done where it is called for; no thread is started.
template <class Work>
void parallel_blocks(std::size_t count, std::size_t block, int threads, Progress* progress, Work work) {
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr error;
    std::mutex guard;
    const auto attempt = [&](auto&& step) {
        try {
            step();
        } catch (...) {
            const std::scoped_lock lock(guard);
            if (!failed.exchange(true)) error = std::current_exception();
        }
    };
    const auto run = [&](int thread) {
        attempt([&] {
            const Watch watch(progress, thread, &failed);
            while (!failed.load(std::memory_order_relaxed)) {
                const std::size_t first = next.fetch_add(block);
                if (first >= count) return;
                const std::size_t last = std::min(count, first + block);
                work(first, last, thread);
                if (progress == nullptr) continue;
                progress->done += last - first;
                progress->look(thread);
            }
        });
    };
    const auto blocks = static_cast<int>(std::min<std::size_t>((count + block - 1) / block, 1024));
    std::size_t ended = 0;
    std::condition_variable end;
    {
        const Threads others(std::min(threads, blocks) - 1, [&](int thread) {
            run(thread);
            const std::scoped_lock lock(guard);
            ++ended;
            end.notify_one();
        });
        run(0);
        if (progress != nullptr && others.size() > 0) {
            std::unique_lock lock(guard);
            while (!end.wait_for(lock, Progress::interval, [&] { return ended == others.size(); })) {
                lock.unlock();
                attempt([&] { progress->look(0); });
                lock.lock();
            }
        }
    }
    if (error) std::rethrow_exception(error);
}

}  // namespace medir
