// Memory that a kernel works on: allocated, touched, filled, checked and described. Where it comes
// from stays inside, so that a device can have its own variant.
#pragma once

#include <cstddef>
#include <vector>

namespace machmeter {

// What was obtained. page_bytes: the smallest page behind it.
struct MemoryDescription {
    std::size_t page_bytes = 0;
};

// Untouched at first: the thread that first writes a page places it.
class Memory {
   public:
    // On pages of this size, where the system has them. Throws std::runtime_error.
    Memory(std::size_t bytes, std::size_t page_bytes);

    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    Memory& operator=(Memory&&) = delete;
    Memory(Memory&& other) noexcept;
    ~Memory();

    template <class T>
    [[nodiscard]] T* as() const {
        return reinterpret_cast<T*>(data_);
    }

    // At least as many as requested: whole pages.
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

    // One byte of every page, by the calling thread.
    void touch() const;

    // Element i from `begin` to `end` becomes `value(i)`, by the calling thread.
    template <class T, class Value>
    void fill(std::size_t begin, std::size_t end, Value&& value) const {
        for (std::size_t i = begin; i < end; ++i) {
            as<T>()[i] = value(i);
        }
    }

    // Elements from `begin` to `end` that are not `value(i)`.
    template <class T, class Value>
    [[nodiscard]] std::size_t wrong(std::size_t begin, std::size_t end, Value&& value) const {
        std::size_t count = 0;
        for (std::size_t i = begin; i < end; ++i) {
            count += as<T>()[i] != value(i) ? 1 : 0;
        }
        return count;
    }

    // After the first touch of all of it.
    [[nodiscard]] MemoryDescription describe() const;

   private:
    std::size_t page_bytes_;
    std::size_t bytes_;
    std::size_t mapped_bytes_ = 0;
    void* mapping_ = nullptr;
    std::byte* data_ = nullptr;
};

// Of several pieces together; no page without any.
MemoryDescription describe(const std::vector<const Memory*>& pieces);

}  // namespace machmeter
