// Work split over threads, a block of items at a time, and watched: what takes long looks in between whether it is
// still wanted.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace medir {

// What a thread writes to, aligned so, has a line of the cache for itself: no other thread waits for it.
constexpr std::size_t cache_line = 64;

// How far a long call has come, and who watches it.
class Progress {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds interval{20};

    std::atomic<std::size_t> done{0};

    Progress() = default;
    // `watch` is called now and then as long as the work goes on, by the thread that called for it. It may throw to
    // stop the work.
    explicit Progress(std::function<void()> watch) : watch_(std::move(watch)) {}

    // To be called between steps of the work; thread 0 is the one that called for it.
    void look(int thread) {
        if (thread != 0 || !watch_ || Clock::now() < next_) return;
        watch_();
        next_ = Clock::now() + interval;
    }

private:
    std::function<void()> watch_;
    Clock::time_point next_ = Clock::now() + interval;
};

// As long as it lives, the work of this thread is watched: thread 0 lets the progress look, which may throw; the others
// stop once `failed` is set.
class Watch {
public:
    Watch(Progress* progress, int thread, const std::atomic<bool>* failed)
        : progress_(progress), failed_(failed), thread_(thread), before_(current_) {
        current_ = this;
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch() { current_ = before_; }

    // To be called again and again by what takes long. Throws where the work is to stop.
    static void look() {
        if (current_ == nullptr) return;
        if (current_->failed_ != nullptr && current_->failed_->load(std::memory_order_relaxed)) throw Stopped{};
        if (current_->progress_ != nullptr) current_->progress_->look(current_->thread_);
    }

private:
    struct Stopped {};

    Progress* progress_;
    const std::atomic<bool>* failed_;
    int thread_;
    Watch* before_;
    static inline thread_local Watch* current_ = nullptr;
};

// Looks once in many calls.
class Looks {
public:
    void operator()() {
        if (++calls_ % between == 0) Watch::look();
    }

private:
    static constexpr std::size_t between = 8192;

    std::size_t calls_ = 0;
};

// Threads that run beside the one that starts them, and are waited for before they go. Where the system cannot start
// another thread, there are fewer of them.
class Threads {
public:
    // Starts run(1), run(2), ..., run(count).
    template <class Run>
    Threads(int count, Run run) {
        try {
            threads_.reserve(static_cast<std::size_t>(std::max(count, 0)));
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
