// A function with a stack of its own, that stops where it has to wait and goes on there later
// (ucontext, getcontext(3)): a pattern of a rank need not know that its transport is simulated.
#pragma once

#include <sys/mman.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <new>
#include <utility>

namespace machmeter::simulate {

class Fiber {
   public:
    explicit Fiber(std::function<void()> body) : body_(std::move(body)) {
        // Untouched pages of it take no memory; the lowest cannot be touched, so that a stack that
        // is too small ends the program, and is not another's data.
        void* const stack = mmap(nullptr, guard_bytes + stack_bytes, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (stack == MAP_FAILED) {
            throw std::bad_alloc();
        }
        stack_ = static_cast<std::byte*>(stack);
        if (mprotect(stack_, guard_bytes, PROT_NONE) != 0 || getcontext(&own_) != 0) {
            munmap(stack_, guard_bytes + stack_bytes);
            throw std::bad_alloc();
        }
        own_.uc_stack.ss_sp = stack_ + guard_bytes;
        own_.uc_stack.ss_size = stack_bytes;
        own_.uc_link = &caller_;
        // makecontext passes ints only.
        const auto address = reinterpret_cast<std::uintptr_t>(this);
        makecontext(&own_, reinterpret_cast<void (*)()>(&Fiber::enter), 2,
                    static_cast<std::uint32_t>(address >> half),
                    static_cast<std::uint32_t>(address));
    }
    ~Fiber() { munmap(stack_, guard_bytes + stack_bytes); }
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    // Until it stops or ends; throws what it threw.
    void resume() {
        swapcontext(&caller_, &own_);
        if (thrown_) {
            std::rethrow_exception(std::exchange(thrown_, nullptr));
        }
    }

    // Called by the body.
    void stop() { swapcontext(&own_, &caller_); }

    [[nodiscard]] bool ended() const { return ended_; }

   private:
    // A multiple of the pages of every system.
    static constexpr std::size_t guard_bytes = std::size_t{64} * 1024;
    static constexpr std::size_t stack_bytes = std::size_t{64} * 1024;
    static constexpr unsigned half = 32;

    static void enter(std::uint32_t high, std::uint32_t low) {
        const auto address = (static_cast<std::uintptr_t>(high) << half) | low;
        reinterpret_cast<Fiber*>(address)->run();
    }

    void run() {
        try {
            body_();
        } catch (...) {
            thrown_ = std::current_exception();
        }
        ended_ = true;
    }

    std::function<void()> body_;
    std::byte* stack_ = nullptr;
    ucontext_t own_{};
    ucontext_t caller_{};
    std::exception_ptr thrown_;
    bool ended_ = false;
};

}  // namespace machmeter::simulate
