// Large runs, looked through while Python still loads what will ask for them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "texts/query_blocks.hpp"

namespace medir {

// Runs that are looked through before anybody asks for them, by a thread beside all others, one after the other.
class ReadAhead {
public:
    // Begins with those of the files whose first line has the columns of a run, six, or seven of passages;
    // others are left alone. Where the first two are to be compared, they are read together.
    static void begin(std::vector<std::string> paths, bool compared);
    // Stops, and forgets what nobody has taken.
    static void forget();
    // What was begun of a file that is still the same, once; null where nothing was.
    static std::shared_ptr<QueryBlocks> take(const std::string& path);
};

}  // namespace medir
