// Memory of this process over time, as one of its threads reads it between pieces of work.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "core/clock/clock.hpp"

namespace machmeter::assembly {

// The kernel's account of a process costs a microsecond or two (proc(5), statm).
class MemoryLog {
   public:
    explicit MemoryLog(const Clock& clock)
        : clock_(clock),
          page_bytes_(static_cast<double>(sysconf(_SC_PAGESIZE))),
          file_(open("/proc/self/statm", O_RDONLY | O_CLOEXEC)) {
        restart();
    }
    MemoryLog(const MemoryLog&) = delete;
    MemoryLog& operator=(const MemoryLog&) = delete;
    ~MemoryLog() {
        if (file_ >= 0) {
            close(file_);
        }
    }

    // Of an event that begins now.
    void restart() {
        at_.clear();
        resident_.clear();
        begin_ = clock_.now();
        add();
    }

    // By the thread that began it; what was read less than 2 ms ago is read again by `add` alone.
    void note() {
        constexpr double shortest = 2e-3;
        if (at_.empty() || seconds_between(begin_, clock_.now()) - at_.back() >= shortest) {
            add();
        }
    }

    void add() {
        std::array<char, 128> text{};
        if (file_ < 0 || pread(file_, text.data(), text.size() - 1, 0) <= 0) {
            return;
        }
        char* second = nullptr;
        std::strtoull(text.data(), &second, 10);
        at_.push_back(seconds_between(begin_, clock_.now()));
        resident_.push_back(static_cast<double>(std::strtoull(second, nullptr, 10)) * page_bytes_);
    }

    [[nodiscard]] double most() const {
        return resident_.empty() ? 0 : *std::max_element(resident_.begin(), resident_.end());
    }

    // Seconds since the event began, and bytes that were resident then.
    [[nodiscard]] const std::vector<double>& at() const { return at_; }
    [[nodiscard]] const std::vector<double>& resident() const { return resident_; }

   private:
    Clock clock_;
    double page_bytes_;
    int file_;
    std::uint64_t begin_ = 0;
    std::vector<double> at_;
    std::vector<double> resident_;
};

}  // namespace machmeter::assembly
