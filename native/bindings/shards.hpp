// Shards as Python asks for them: with the arrays that they fill in, and the function that takes them.
#pragma once

#include "bindings.hpp"
#include "shards/shards.hpp"

struct RequestedShards {
    medir::Shards native;
    Array<std::uint32_t, 1> checksums, occurring;
    nanobind::callable sink;

    // To be called once all shards are written.
    void finish() const {
        if (!native.occurring.empty()) native.occurring.copy_to(occurring.data());
    }
};
