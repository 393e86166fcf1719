// Epochs over a window that writes down the calls it gets.
#include <string>
#include <string_view>
#include <vector>

#include "patterns/epochs.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

using Lines = std::vector<std::string>;

struct Recorder {
    void fence() { lines.emplace_back("fence"); }
    void last_fence() { lines.emplace_back("last_fence"); }
    void post() { lines.emplace_back("post"); }
    void wait() { lines.emplace_back("wait"); }
    void start() { lines.emplace_back("start"); }
    void complete() { lines.emplace_back("complete"); }
    void lock() { lines.emplace_back("lock"); }
    void unlock() { lines.emplace_back("unlock"); }
    void lock_all() { lines.emplace_back("lock_all"); }
    void flush() { lines.emplace_back("flush"); }
    void unlock_all() { lines.emplace_back("unlock_all"); }

    Lines lines;
};

Lines epochs(Synchronization synchronization, Role role, std::uint64_t count) {
    Recorder window;
    open_epochs(window, synchronization, role);
    run_epochs(window, synchronization, role, count, [&] { window.lines.emplace_back("operate"); });
    close_epochs(window, synchronization, role);
    return window.lines;
}

TEST(a_fence_ends_one_epoch_and_begins_the_next) {
    CHECK(epochs(Synchronization::fence, Role::origin, 2) ==
          Lines({"fence", "operate", "fence", "operate", "fence", "last_fence"}));
    CHECK(epochs(Synchronization::fence, Role::target, 2) ==
          Lines({"fence", "fence", "fence", "last_fence"}));
}

TEST(every_start_has_its_post) {
    CHECK(epochs(Synchronization::post_start, Role::origin, 2) ==
          Lines({"start", "operate", "complete", "start", "operate", "complete"}));
    CHECK(epochs(Synchronization::post_start, Role::target, 2) ==
          Lines({"post", "wait", "post", "wait"}));
}

TEST(passive_targets_take_no_part) {
    CHECK(epochs(Synchronization::lock, Role::origin, 2) ==
          Lines({"lock", "operate", "unlock", "lock", "operate", "unlock"}));
    CHECK(epochs(Synchronization::lock_all, Role::origin, 2) ==
          Lines({"lock_all", "operate", "flush", "operate", "flush", "unlock_all"}));
    CHECK(epochs(Synchronization::lock, Role::target, 2).empty());
    CHECK(epochs(Synchronization::lock_all, Role::target, 2).empty());
}

TEST(only_active_targets_take_part) {
    CHECK(target_takes_part(Synchronization::fence));
    CHECK(target_takes_part(Synchronization::post_start));
    CHECK(!target_takes_part(Synchronization::lock));
    CHECK(!target_takes_part(Synchronization::lock_all));
}

Synchronization named(const std::string& name) {
    return synchronization_of(Parameters("synchronization=" + name));
}

TEST(names) {
    CHECK(named("fence") == Synchronization::fence);
    CHECK(named("post-start") == Synchronization::post_start);
    CHECK(named("lock") == Synchronization::lock);
    CHECK(named("lock-all") == Synchronization::lock_all);
    CHECK_THROWS(UsageError, "none of fence", named("flush"));
}

}  // namespace
}  // namespace machmeter
