// Atomic operations on one counter of the target, each of which adds one, so that the value that
// each fetches is checked. No MPI here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/libraries/open_mpi.hpp"
#include "core/values/parameters.hpp"

namespace machmeter {

enum class AtomicOperation : std::uint8_t { fetch_and_op, compare_and_swap };

// Throws UsageError.
inline AtomicOperation atomic_operation_of(const Parameters& point) {
    return point.choice<AtomicOperation>("operation",
                                         {{"fetch-and-op", AtomicOperation::fetch_and_op},
                                          {"compare-and-swap", AtomicOperation::compare_and_swap}});
}

// Why such an operation cannot be done; empty where it can. Before 4.1.5 Open MPI sends a
// compare-and-swap within a node, on memory that MPI_Win_allocate shares there, through a transport
// without a route to the peer, which ends the process (open-mpi/ompi, issue 7027, pull 10513).
inline std::string known_defect(const OpenMpiVersion& version, AtomicOperation operation,
                                bool on_shared_allocation) {
    constexpr OpenMpiVersion fixed{4, 1, 5};
    if (operation == AtomicOperation::compare_and_swap && on_shared_allocation &&
        version.before(fixed)) {
        return "MPI_Compare_and_swap within a node on a window of MPI_Win_allocate ends the "
               "process under Open MPI " +
               version.text() +
               " (open-mpi/ompi issue 7027): use Open MPI 4.1.5 or later, or request "
               "window=create, dynamic or shared";
    }
    return "";
}

// Operands stay in place until the epoch that uses them ends.
class RmaCounter {
   public:
    RmaCounter(AtomicOperation operation, std::size_t outstanding)
        : operation_(operation),
          fetched_(outstanding, -1),
          expected_(outstanding, 0),
          wanted_(outstanding, 1) {}

    // Every compare-and-swap finds what it expects and swaps.
    template <class W>
    void begin_operations(W& window) {
        for (std::size_t i = 0; i < fetched_.size(); ++i) {
            if (operation_ == AtomicOperation::fetch_and_op) {
                window.fetch_and_add(one_, fetched_[i]);
            } else {
                expected_[i] = raised_ + static_cast<std::int64_t>(i);
                wanted_[i] = expected_[i] + 1;
                window.compare_and_swap(wanted_[i], expected_[i], fetched_[i]);
            }
        }
        raised_ += static_cast<std::int64_t>(fetched_.size());
    }

    // What the counter must hold once all started operations are complete.
    [[nodiscard]] std::int64_t raised() const { return raised_; }

    // Whether the operations of the last epoch fetched the counter's values in order.
    [[nodiscard]] bool fetched_in_order() const {
        std::int64_t value = raised_ - static_cast<std::int64_t>(fetched_.size());
        for (const std::int64_t fetched : fetched_) {
            if (fetched != value++) {
                return false;
            }
        }
        return true;
    }

   private:
    AtomicOperation operation_;
    std::int64_t one_ = 1;
    std::int64_t raised_ = 0;
    std::vector<std::int64_t> fetched_;
    std::vector<std::int64_t> expected_;
    std::vector<std::int64_t> wanted_;
};

}  // namespace machmeter
