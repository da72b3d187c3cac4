// A harness under libFuzzer, which finds inputs that reach new code.
#include "harness.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    medir::fuzz::try_input({reinterpret_cast<const char*>(data), size});
    return 0;
}
