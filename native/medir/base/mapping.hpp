// A file as memory, and whether it stayed as it was.
//
// Files are mapped and not read into buffers, so that memory follows the number of queries and not the size of the
// files; reading them takes as much memory as they have bytes, and longer (docs/reliability.md has the figures).
// The price is that others may change a file that is mapped. Where it shrinks, or a page of it cannot be read, the
// system sends SIGBUS. Our handler then lays zeros over the rest of the mapping and marks it as damaged: whoever reads
// goes on, finds no more text, and looks at the mark at the end. A fault that is in no mapping of ours goes to the
// handler that was there before. Where nothing can be mapped so, MEDIR_PORTABLE has files read into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace medir {

class Mapping {
public:
    // Behind the end there are at least this many bytes of zero, whatever happens to the file.
    static constexpr std::size_t padding = 64;

    enum class State { intact, changed, unreadable };

    // Throws std::system_error where the file cannot be opened or mapped.
    explicit Mapping(const std::string& path);
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping();

    const char* begin() const { return begin_; }
    std::size_t size() const { return size_; }
    // What became of the file since it was mapped. A file of the same name that took its place is none of its changes.
    State state() const;

private:
    struct Region;

    // What tells that a file was written to.
    struct Stamp {
        std::uint64_t device = 0, number = 0, size = 0;
        std::int64_t seconds = 0, nanoseconds = 0;
        bool operator==(const Stamp&) const = default;
    };

    static Stamp stamp_of(const void* facts);
    void map(int descriptor);
    static void install();
    static void handle(int signal, void* info, void* context);

    std::string path_;
    Stamp stamp_;
    const char* begin_ = nullptr;
    std::size_t size_ = 0;
    std::size_t mapped_ = 0;    // bytes of address space held
    Region* region_ = nullptr;  // where the handler finds it
    std::vector<char> bytes_;   // where the file was read
};

}  // namespace medir
