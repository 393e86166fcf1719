// What this process is at, said when it is told to end: a launch that hangs says where.
//
// A signal handler has no other way to its data than a global; it uses only what signal-safety(7)
// allows.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace machmeter {

class PhaseReport {
   public:
    // The process says its phase and ends by that signal, as it would have without this.
    static void on_signal(int signal) {
        struct sigaction action = {};
        action.sa_handler = &say_and_end;
        sigaction(signal, &action, nullptr);
    }

    // Whole or not at all: the handler sees the line before this one, or this one. One thread
    // writes lines.
    static void set(std::string_view speaker, std::string_view phase) {
        const std::string text =
            std::string(speaker) + " was in: " + std::string(phase.substr(0, most_of_phase)) + "\n";
        Line* free = current.load() == lines.data() ? lines.data() + 1 : lines.data();
        free->length = std::min(text.size(), free->text.size());
        std::memcpy(free->text.data(), text.data(), free->length);
        current.store(free);
    }

    static void write_to(int descriptor) {
        const Line* line = current.load();
        if (line != nullptr) {
            // Nothing can be done about a descriptor that takes no more.
            [[maybe_unused]] const ssize_t written =
                write(descriptor, line->text.data(), line->length);
        }
    }

   private:
    static constexpr std::size_t most_of_phase = 400;

    struct Line {
        std::array<char, 512> text;
        std::size_t length;
    };

    static void say_and_end(int signal) {
        write_to(STDERR_FILENO);
        struct sigaction usual = {};
        usual.sa_handler = SIG_DFL;
        sigaction(signal, &usual, nullptr);
        raise(signal);
    }

    static inline std::array<Line, 2> lines{};
    static inline std::atomic<Line*> current{nullptr};
    static_assert(std::atomic<Line*>::is_always_lock_free);
};

}  // namespace machmeter
