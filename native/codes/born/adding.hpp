// Three ways for threads to add what pairs of atoms give to both: arrays of their own and a sum
// over threads, atomic additions, or rows of which each takes its own half.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "codes/born/molecule.hpp"

namespace machmeter::born {

enum class Adding { private_arrays, atomic, rows };

// Of a pair: for the atom of a row, and for its neighbor.
template <class Value>
struct Parts {
    Value own;
    Value other;
};

inline void add_atomic(double& to, double value) {
#pragma omp atomic
    to += value;
}
inline void add_atomic(Lanes& to, const Lanes& value) {
    auto* const components = reinterpret_cast<double*>(&to);
    for (int c = 0; c < proxies::lane_count; ++c) {
        add_atomic(components[c], value[c]);
    }
}

// A value of each atom.
template <class Value>
class Sums {
   public:
    Sums(std::size_t count, Adding adding, int threads)
        : adding_(adding), threads_(static_cast<std::size_t>(threads)), total_(count) {
        if (adding == Adding::private_arrays) {
            arrays_.resize(threads_);
#pragma omp parallel num_threads(threads)
            arrays_[static_cast<std::size_t>(omp_get_thread_num())].resize(count);
        }
    }

    [[nodiscard]] const Value& of(std::size_t atom) const { return total_[atom]; }
    [[nodiscard]] double data_bytes() const {
        return static_cast<double>((1 + arrays_.size()) * total_.size() * sizeof(Value));
    }

    // `parts_of(i, j, energy)` of every pair, and what it adds to `energy`; with rows it is called
    // for a pair from either side.
    template <class PartsOf>
    double add_up(const Neighbors& neighbors, const PartsOf& parts_of) {
        switch (adding_) {
            case Adding::private_arrays:
                return add_privately(neighbors, parts_of);
            case Adding::atomic:
                return add_atomically(neighbors, parts_of);
            case Adding::rows:
                break;
        }
        return add_rows(neighbors, parts_of) / 2;
    }

   private:
    template <class PartsOf>
    double add_privately(const Neighbors& neighbors, const PartsOf& parts_of) {
        double energy = 0;
        const std::size_t count = total_.size();
#pragma omp parallel num_threads(static_cast<int>(threads_)) reduction(+ : energy)
        {
            Value* const own = arrays_[static_cast<std::size_t>(omp_get_thread_num())].data();
            std::fill(own, own + count, Value{});
#pragma omp for schedule(dynamic, 16)
            for (std::size_t i = 0; i < count; ++i) {
                Value row{};
                for (std::size_t k = neighbors.middles[i]; k < neighbors.begins[i + 1]; ++k) {
                    const std::size_t j = neighbors.atoms[k];
                    const Parts<Value> parts = parts_of(i, j, energy);
                    row += parts.own;
                    own[j] += parts.other;
                }
                own[i] += row;
            }
#pragma omp for schedule(static)
            for (std::size_t i = 0; i < count; ++i) {
                Value sum{};
                for (const std::vector<Value>& array : arrays_) {
                    sum += array[i];
                }
                total_[i] = sum;
            }
        }
        return energy;
    }

    template <class PartsOf>
    double add_atomically(const Neighbors& neighbors, const PartsOf& parts_of) {
        double energy = 0;
        const std::size_t count = total_.size();
        std::fill(total_.begin(), total_.end(), Value{});
#pragma omp parallel for num_threads(static_cast<int>(threads_)) schedule(dynamic, 16) \
    reduction(+ : energy)
        for (std::size_t i = 0; i < count; ++i) {
            Value row{};
            for (std::size_t k = neighbors.middles[i]; k < neighbors.begins[i + 1]; ++k) {
                const std::size_t j = neighbors.atoms[k];
                const Parts<Value> parts = parts_of(i, j, energy);
                row += parts.own;
                add_atomic(total_[j], parts.other);
            }
            add_atomic(total_[i], row);
        }
        return energy;
    }

    template <class PartsOf>
    double add_rows(const Neighbors& neighbors, const PartsOf& parts_of) {
        double energy = 0;
        const std::size_t count = total_.size();
#pragma omp parallel for num_threads(static_cast<int>(threads_)) schedule(dynamic, 16) \
    reduction(+ : energy)
        for (std::size_t i = 0; i < count; ++i) {
            Value row{};
            for (std::size_t k = neighbors.begins[i]; k < neighbors.begins[i + 1]; ++k) {
                row += parts_of(i, neighbors.atoms[k], energy).own;
            }
            total_[i] = row;
        }
        return energy;
    }

    Adding adding_;
    std::size_t threads_;
    std::vector<Value> total_;
    std::vector<std::vector<Value>> arrays_;
};

}  // namespace machmeter::born
