// Epochs of one-sided communication between an origin and a target: which synchronization calls
// open and close them, in which order (MPI 3.1, section 11.5).
#pragma once

#include <cstdint>

#include "core/values/parameters.hpp"

namespace machmeter {

enum class Synchronization : std::uint8_t { fence, post_start, lock, lock_all };

// Who begins the operations, and whose memory they reach.
enum class Role : std::uint8_t { origin, target };

// fence ends an epoch of both and begins the next, last_fence ends the last; post and wait are the
// target's, all others the origin's.
template <class W>
concept EpochWindow = requires(W& window) {
    window.fence();
    window.last_fence();
    window.post();
    window.wait();
    window.start();
    window.complete();
    window.lock();
    window.unlock();
    window.lock_all();
    window.flush();
    window.unlock_all();
};

// Throws UsageError.
inline Synchronization synchronization_of(const Parameters& point) {
    return point.choice<Synchronization>("synchronization",
                                         {{"fence", Synchronization::fence},
                                          {"post-start", Synchronization::post_start},
                                          {"lock", Synchronization::lock},
                                          {"lock-all", Synchronization::lock_all}});
}

// Whether the target takes part in every epoch, so that it cannot compute at the same time.
inline bool target_takes_part(Synchronization synchronization) {
    return synchronization == Synchronization::fence ||
           synchronization == Synchronization::post_start;
}

// Before the first epoch.
template <EpochWindow W>
void open_epochs(W& window, Synchronization synchronization, Role role) {
    if (synchronization == Synchronization::fence) {
        window.fence();
    } else if (synchronization == Synchronization::lock_all && role == Role::origin) {
        window.lock_all();
    }
}

// After the last epoch.
template <EpochWindow W>
void close_epochs(W& window, Synchronization synchronization, Role role) {
    if (synchronization == Synchronization::fence) {
        window.last_fence();
    } else if (synchronization == Synchronization::lock_all && role == Role::origin) {
        window.unlock_all();
    }
}

// One epoch of the origin: what `operate()` begins is complete when it ends.
template <EpochWindow W, class Operate>
void origin_epoch(W& window, Synchronization synchronization, Operate&& operate) {
    switch (synchronization) {
        case Synchronization::fence:
            operate();
            window.fence();
            break;
        case Synchronization::post_start:
            window.start();
            operate();
            window.complete();
            break;
        case Synchronization::lock:
            window.lock();
            operate();
            window.unlock();
            break;
        case Synchronization::lock_all:
            operate();
            window.flush();
            break;
    }
}

// The target's part in one epoch: nothing where its memory is reached without it.
template <EpochWindow W>
void target_epoch(W& window, Synchronization synchronization) {
    if (synchronization == Synchronization::fence) {
        window.fence();
    } else if (synchronization == Synchronization::post_start) {
        window.post();
        window.wait();
    }
}

template <EpochWindow W, class Operate>
void run_epochs(W& window, Synchronization synchronization, Role role, std::uint64_t count,
                Operate&& operate) {
    for (std::uint64_t epoch = 0; epoch < count; ++epoch) {
        if (role == Role::origin) {
            origin_epoch(window, synchronization, operate);
        } else {
            target_epoch(window, synchronization);
        }
    }
}

}  // namespace machmeter
