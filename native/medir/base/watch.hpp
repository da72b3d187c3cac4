// Work that takes long looks in between whether it is still wanted.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>

namespace medir {

// How far a long call has come, and who watches it.
class Progress {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds interval{50};

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

}  // namespace medir
