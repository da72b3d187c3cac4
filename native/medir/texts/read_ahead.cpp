#include "texts/read_ahead.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/bytes.hpp"
#include "texts/paired_blocks.hpp"

namespace medir {

namespace {

bool has_columns_of_a_run(const Text& text) {
    const char* p = first_line(text);
    int columns = 0;
    for (; p < text.end() && *p != '\n' && !is_binary(text, p); p = skip_blanks(token_end(p))) ++columns;
    return (columns == 6 || columns == 7) && *p == '\n';
}

// The files that were begun, and the thread that reads them.
class Begun {
public:
    Begun() = default;
    Begun(const Begun&) = delete;
    Begun& operator=(const Begun&) = delete;
    ~Begun() { forget(); }

    void forget() {
        const std::scoped_lock lock(guard_);
        for (auto& blocks : blocks_) blocks->stop();
        if (thread_.joinable()) thread_.join();
        blocks_.clear();
    }

    void begin(std::vector<std::string> paths, bool compared) {
        const std::scoped_lock lock(guard_);
        if (reading_ ||
            std::all_of(paths.begin(), paths.end(), [&](const auto& path) { return find(path) != blocks_.end(); }))
            return;
        if (thread_.joinable()) thread_.join();
        blocks_.clear();
        for (std::string& path : paths) add(std::move(path));
        if (blocks_.empty()) return;
        if (compared && blocks_.size() > 1) pair(*blocks_[0], *blocks_[1]);
        reading_ = true;
        try {
            thread_ = std::thread([this, all = blocks_] {
                for (auto& blocks : all) blocks->take_part(1);
                reading_ = false;
            });
        } catch (const std::system_error&) {  // whoever asks for a file reads all of it then
            reading_ = false;
        }
    }
    std::shared_ptr<QueryBlocks> take(const std::string& path) {
        const std::scoped_lock lock(guard_);
        const auto found = find(path);
        if (found == blocks_.end()) return nullptr;
        auto blocks = std::move(*found);
        blocks_.erase(found);
        return blocks->text().is_current() ? blocks : nullptr;
    }

private:
    std::vector<std::shared_ptr<QueryBlocks>>::iterator find(const std::string& path) {
        return std::find_if(blocks_.begin(), blocks_.end(),
                            [&](const auto& blocks) { return blocks->text().name() == path; });
    }
    static void pair(QueryBlocks& before, QueryBlocks& after) {
        try {
            QueryBlocks::pair(before, after, PairedBlocks::usual_part);
        } catch (const std::exception&) {  // such as that a file has changed: whoever asks for it is told
        }
    }
    // What cannot be read now is an error for whoever asks for it.
    void add(std::string path) {
        try {
            Text text = Text::map(path);
            if (has_columns_of_a_run(text)) blocks_.push_back(std::make_shared<QueryBlocks>(std::move(text)));
        } catch (const std::exception&) {
        }
    }

    std::mutex guard_;
    std::vector<std::shared_ptr<QueryBlocks>> blocks_;
    std::atomic<bool> reading_{false};
    std::thread thread_;
};

Begun& begun() {
    static Begun files;
    return files;
}

}  // namespace

void ReadAhead::begin(std::vector<std::string> paths, bool compared) {
    if constexpr (Mapping::by_pages) begun().begin(std::move(paths), compared);
}

void ReadAhead::forget() { begun().forget(); }

std::shared_ptr<QueryBlocks> ReadAhead::take(const std::string& path) { return begun().take(path); }

}  // namespace medir
