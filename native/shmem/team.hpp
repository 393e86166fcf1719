// Processing elements as a team, by OpenSHMEM 1.4.
#pragma once

#include <shmem.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/session/team.hpp"

namespace machmeter {

// Zeroed memory at the same place of every processing element's symmetric heap; made and freed by
// all of them together.
template <class T>
class SymmetricArray {
   public:
    explicit SymmetricArray(std::size_t length)
        : data_(static_cast<T*>(shmem_malloc(std::max<std::size_t>(length, 1) * sizeof(T)))) {
        if (data_ != nullptr) {
            std::memset(static_cast<void*>(data_), 0, length * sizeof(T));
        }
        shmem_barrier_all();
    }

    SymmetricArray(const SymmetricArray&) = delete;
    SymmetricArray& operator=(const SymmetricArray&) = delete;

    // Not after an error of one of them: the others would wait.
    ~SymmetricArray() {
        if (data_ != nullptr && std::uncaught_exceptions() == 0) {
            shmem_free(data_);
        }
    }

    // Whether it fitted into the heap.
    [[nodiscard]] bool made() const { return data_ != nullptr; }

    [[nodiscard]] T* data() const { return data_; }
    T& operator[](std::size_t index) const { return data_[index]; }

   private:
    T* data_;
};

class ShmemTeam {
   public:
    ShmemTeam()
        : rank_(shmem_my_pe()), size_(shmem_n_pes()), slots_(static_cast<std::size_t>(size_)) {
        require_heap(slots_.made(), static_cast<std::size_t>(size_) * sizeof(double));
    }

    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] bool is_root() const { return rank_ == 0; }

    static void barrier() { shmem_barrier_all(); }

    [[nodiscard]] double broadcast(double value) const {
        if (is_root()) {
            shared_[0] = value;
        }
        shmem_barrier_all();
        shmem_getmem(&value, shared_.data(), sizeof value, 0);
        shmem_barrier_all();
        return value;
    }

    // Value by value, each over the same slots.
    [[nodiscard]] std::vector<std::vector<double>> gather(const std::vector<double>& mine) const {
        std::vector<std::vector<double>> all(is_root() ? static_cast<std::size_t>(size_) : 0);
        for (const double value : mine) {
            shmem_putmem(slots_.data() + rank_, &value, sizeof value, 0);
            shmem_barrier_all();
            for (std::size_t rank = 0; rank < all.size(); ++rank) {
                all[rank].push_back(slots_[rank]);
            }
            shmem_barrier_all();
        }
        return all;
    }

    // By way of the root's slots, which are as long.
    [[nodiscard]] std::vector<std::uint64_t> gather_everywhere(std::uint64_t mine) const {
        std::vector<std::uint64_t> all(static_cast<std::size_t>(size_));
        static_assert(sizeof mine == sizeof(double));
        shmem_putmem(slots_.data() + rank_, &mine, sizeof mine, 0);
        shmem_barrier_all();
        shmem_getmem(all.data(), slots_.data(), all.size() * sizeof mine, 0);
        shmem_barrier_all();
        return all;
    }

    [[nodiscard]] double largest(double value) const {
        for (const std::vector<double>& one : gather({value})) {
            value = std::max(value, one.front());
        }
        return broadcast(value);
    }
    [[nodiscard]] std::uint64_t smallest(std::uint64_t value) const {
        return static_cast<std::uint64_t>(-largest(-static_cast<double>(value)));
    }
    [[nodiscard]] bool all(bool mine) const { return smallest(mine ? 1 : 0) == 1; }

    [[nodiscard]] std::string join(const std::string& mine) const {
        const auto length = static_cast<double>(mine.size());
        const std::vector<std::vector<double>> lengths = gather({length});
        const auto longest = static_cast<std::size_t>(largest(length));
        const SymmetricArray<char> text(longest);
        require_heap(all(text.made()), longest);
        std::copy(mine.begin(), mine.end(), text.data());
        shmem_barrier_all();
        std::string joined;
        for (std::size_t pe = 0; pe < lengths.size(); ++pe) {
            std::string one(static_cast<std::size_t>(lengths[pe].front()), '\0');
            shmem_getmem(one.data(), text.data(), one.size(), static_cast<int>(pe));
            joined += (one.empty() || joined.empty() ? "" : ",") + one;
        }
        shmem_barrier_all();
        return joined;
    }

   private:
    static void require_heap(bool made, std::size_t bytes) {
        if (!made) {
            throw std::runtime_error("the symmetric heap lacks " + std::to_string(bytes) +
                                     " bytes: set SHMEM_SYMMETRIC_SIZE to more");
        }
    }

    int rank_;
    int size_;
    SymmetricArray<double> slots_;
    SymmetricArray<double> shared_{1};
};

static_assert(Team<const ShmemTeam>);

}  // namespace machmeter
