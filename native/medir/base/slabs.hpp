// Memory for many small arrays that go together: taken from the system in large pieces, in large pages where it has
// them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "platform/portable.hpp"

namespace medir {

class Slabs {
public:
    // Room for some items, which are not initialised, until the slabs go.
    template <class Item>
    Item* take(std::size_t count) {
        static_assert(std::is_trivially_destructible_v<Item>);
        const std::size_t size = (count * sizeof(Item) + alignment - 1) / alignment * alignment;
        if (size > left_) add(std::max(size, slab));
        left_ -= size;
        return reinterpret_cast<Item*>(std::exchange(next_, next_ + size));
    }

private:
    static constexpr std::size_t alignment = 16, slab = std::size_t{2} << 20;

    struct Free {
        void operator()(char* bytes) const { ::operator delete(bytes, std::align_val_t(slab)); }
    };
    void add(std::size_t size) {
        std::unique_ptr<char, Free> added(static_cast<char*>(::operator new(size, std::align_val_t(slab))));
        next_ = slabs_.emplace_back(std::move(added)).get();
        left_ = size;
        prefer_large_pages(next_, size);
    }

    std::vector<std::unique_ptr<char, Free>> slabs_;
    char* next_ = nullptr;
    std::size_t left_ = 0;
};

}  // namespace medir
