// What processing elements do together, by OpenSHMEM 1.4.
#pragma once

#include <shmem.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/session/team_sampling.hpp"

namespace machmeter {

// Memory at the same place of every processing element's symmetric heap, set to zero; made and
// freed by all of them together.
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

    // Not where one of them has failed: the others would wait for it.
    ~SymmetricArray() {
        if (data_ != nullptr && std::uncaught_exceptions() == 0) {
            shmem_free(data_);
        }
    }

    // Whether the heap had room for it.
    [[nodiscard]] bool made() const { return data_ != nullptr; }

    [[nodiscard]] T* data() const { return data_; }
    T& operator[](std::size_t index) const { return data_[index]; }

   private:
    T* data_;
};

// All of them; the first one leads.
class ShmemTeam {
   public:
    ShmemTeam()
        : rank_(shmem_my_pe()), size_(shmem_n_pes()), slots_(static_cast<std::size_t>(size_)) {
        if (!slots_.made()) {
            throw std::runtime_error("the symmetric heap has no room for " + std::to_string(size_) +
                                     " numbers: set SHMEM_SYMMETRIC_SIZE to more");
        }
    }

    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] bool leads() const { return rank_ == 0; }

    static void meet() { shmem_barrier_all(); }

    // The leader's value, everywhere.
    [[nodiscard]] double share(double value) const {
        if (leads()) {
            shared_[0] = value;
        }
        shmem_barrier_all();
        shmem_getmem(&value, shared_.data(), sizeof value, 0);
        shmem_barrier_all();
        return value;
    }

    // One value of each, in their order, at the leader; none elsewhere.
    [[nodiscard]] std::vector<double> gather(double mine) const {
        shmem_putmem(slots_.data() + rank_, &mine, sizeof mine, 0);
        shmem_barrier_all();
        std::vector<double> all;
        if (leads()) {
            all.assign(slots_.data(), slots_.data() + size_);
        }
        shmem_barrier_all();
        return all;
    }

    [[nodiscard]] double smallest(double value) const {
        const std::vector<double> all = gather(value);
        return share(leads() ? *std::min_element(all.begin(), all.end()) : value);
    }

    [[nodiscard]] double largest(double value) const { return -smallest(-value); }

    // Whether it is true on every one.
    [[nodiscard]] bool all(bool mine) const { return smallest(mine ? 1 : 0) == 1; }

    // The texts of all in their order with commas between, at the leader; empty elsewhere.
    [[nodiscard]] std::string join(const std::string& mine) const {
        const std::vector<double> lengths = gather(static_cast<double>(mine.size()));
        const auto longest = static_cast<std::size_t>(largest(static_cast<double>(mine.size())));
        const SymmetricArray<char> text(longest);
        if (!all(text.made())) {
            throw std::runtime_error("the symmetric heap has no room for a text of " +
                                     std::to_string(longest) +
                                     " bytes: set SHMEM_SYMMETRIC_SIZE to more");
        }
        std::copy(mine.begin(), mine.end(), text.data());
        shmem_barrier_all();
        std::string joined;
        for (std::size_t pe = 0; pe < lengths.size(); ++pe) {
            std::string one(static_cast<std::size_t>(lengths[pe]), '\0');
            shmem_getmem(one.data(), text.data(), one.size(), static_cast<int>(pe));
            joined += (pe > 0 ? "," : "") + one;
        }
        shmem_barrier_all();
        return joined;
    }

   private:
    int rank_;
    int size_;
    SymmetricArray<double> slots_;
    SymmetricArray<double> shared_{1};
};

static_assert(Team<const ShmemTeam>);

}  // namespace machmeter
