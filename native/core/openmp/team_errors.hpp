// Errors inside a parallel region: an exception that leaves a thread of a team ends the process
// (OpenMP 5.2, section 10.1).
#pragma once

#include <exception>
#include <mutex>
#include <utility>

namespace machmeter {

class TeamErrors {
   public:
    // Calls `body()` and keeps the first exception of any thread. A body that throws must not leave
    // its team waiting at a barrier.
    template <class Body>
    void catching(Body&& body) noexcept {
        try {
            std::forward<Body>(body)();
        } catch (...) {
            keep(std::current_exception());
        }
    }

    // Outside the region: throws the kept exception.
    void rethrow() const {
        if (first_) {
            std::rethrow_exception(first_);
        }
    }

   private:
    void keep(std::exception_ptr error) noexcept {
        const std::lock_guard<std::mutex> alone(mutex_);
        if (!first_) {
            first_ = std::move(error);
        }
    }

    std::mutex mutex_;
    std::exception_ptr first_;
};

}  // namespace machmeter
