// A file as memory, and whether it stayed as it was.
//
// Files are mapped and not read into buffers, but for small parts at a time (Copies), so that memory follows the number
// of queries and not the size of the files; reading them takes as much memory as they have bytes, and longer
// (docs/reliability.md has the figures). The price is that others may change a file that is mapped. Where it shrinks,
// or a page of it cannot be read, the system sends SIGBUS. Our handler then lays zeros over the rest of the mapping and
// marks it as damaged: whoever reads goes on, finds no more text, and looks at the mark at the end. A fault that is in
// no mapping of ours goes to the handler that was there before. Where nothing can be mapped so, MEDIR_PORTABLE has
// files read into memory.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "platform/portable.hpp"

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
    // Whether the path still names this file, as it was.
    bool is_current() const;

    // Copies of parts of the file: faster than its pages where each is looked at once. It is opened for them once more.
    class Copies;

#if defined(MEDIR_MAPS_FILES)
    static constexpr bool by_pages = true;
#else
    static constexpr bool by_pages = false;  // a file is read whole before anybody looks at it
#endif

private:
    const char* begin_ = nullptr;
    std::size_t size_ = 0;
#if defined(MEDIR_MAPS_FILES)
    struct Region;

    static bool repair(char* address);
    void lay(const OpenFile& file, char* base);

    std::string path_;
    FileStamp stamp_;
    std::size_t mapped_ = 0;    // bytes of address space held
    Region* region_ = nullptr;  // where the handler finds it
#else
    std::vector<char> bytes_;
#endif
};

class Mapping::Copies {
public:
    // Throws std::system_error where the file is no longer what it was.
    explicit Copies(const Mapping& mapping);
    // Throws std::system_error where these bytes are no longer there.
    void read(char* to, std::size_t size, std::size_t from) const;

private:
#if defined(MEDIR_MAPS_FILES)
    OpenFile file_;
#else
    const Mapping& mapping_;
#endif
};

}  // namespace medir
