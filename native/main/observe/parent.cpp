#include "main/observe/parent.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "core/host/identity.hpp"
#include "core/host/kernel_times.hpp"
#include "core/host/places.hpp"
#include "core/values/json.hpp"
#include "main/observe/process_tree.hpp"

namespace machmeter::observe {
namespace {

// Seconds after the start; then every second.
constexpr std::array<double, 6> first_samples = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5};
constexpr int most_rounds_of_killing = 50;
// From a signal that ends it on, the program has this long before all of it is killed: less than
// whoever sent the signal waits.
constexpr double patience_seconds = 1.5;

double now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_of(const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

sigset_t handled() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number :
         {SIGCHLD, SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGCONT}) {
        sigaddset(&set, number);
    }
    return set;
}

// What the launcher waits for the end of must end with the program, not with this process.
void close_descriptors() {
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing >= 0) {
        dup2(nothing, 0);
        dup2(nothing, 1);
    }
#ifdef SYS_close_range
    if (syscall(SYS_close_range, 3U, ~0U, 0U) == 0) {
        return;
    }
#endif
    for (int descriptor = 3; descriptor < 4096; ++descriptor) {
        close(descriptor);
    }
}

class Parent {
   public:
    Parent(const Request& request, pid_t child, pid_t launcher)
        : request_(request),
          child_(child),
          launcher_(launcher),
          began_(now()),
          busy_at_start_(busy_seconds(request.cpus)) {}

    // The wait status of the child.
    int watch() {
        const sigset_t signals = handled();
        while (!ended_) {
            if (to_end_by_ && now() >= *to_end_by_) {
                kill_the_rest();
                to_end_by_ = now() + patience_seconds;
            }
            const double next =
                to_end_by_ ? std::min(next_sample(), *to_end_by_ - began_) : next_sample();
            const double until = next - (now() - began_);
            const timespec pause{
                static_cast<time_t>(until > 0 ? until : 0),
                until > 0 ? static_cast<long>(
                                1e9 * (until - static_cast<double>(static_cast<time_t>(until))))
                          : 0};
            siginfo_t signal{};
            const int number = sigtimedwait(&signals, &signal, &pause);
            if (number == SIGCHLD) {
                reap();
            } else if (number > 0) {
                hand_on(number, signal);
            } else if (errno == EAGAIN) {
                sample();
            }
        }
        kill_the_rest();
        write();
        return status_;
    }

   private:
    [[nodiscard]] double next_sample() const {
        const auto made = static_cast<std::size_t>(tree_.samples());
        return made < first_samples.size() ? first_samples[made]
                                           : 1.0 + static_cast<double>(made - first_samples.size());
    }

    void sample() { tree_.sample(now() - began_); }

    // What a terminal sends goes to the whole group, the program included.
    void hand_on(int number, const siginfo_t& signal) {
        if (signal.si_code != SI_KERNEL) {
            kill(child_, number);
        }
        if (number == SIGTERM || number == SIGHUP) {
            // It may ignore that, and be killed with this process.
            sample();
            write();
            // A program may signal its whole group, this process too, and go on.
            const auto own = descendants();
            if (std::find(own.begin(), own.end(), signal.si_pid) == own.end()) {
                to_end_by_ = to_end_by_.value_or(now() + patience_seconds);
            }
        }
        if (getppid() != launcher_) {
            // Nobody is left who would end a program that ignores it.
            kill(child_, SIGKILL);
        }
    }

    void reap() {
        for (siginfo_t found{};
             waitid(P_ALL, 0, &found, WEXITED | WNOHANG | WNOWAIT) == 0 && found.si_pid != 0;
             found = {}) {
            tree_.close(found.si_pid);
            int status = 0;
            rusage usage{};
            if (wait4(found.si_pid, &status, 0, &usage) != found.si_pid) {
                return;
            }
            add(usage);
            if (found.si_pid == child_) {
                status_ = status;
                ended_ = now() - began_;
            }
        }
    }

    void add(const rusage& usage) {
        user_ += seconds_of(usage.ru_utime);
        system_ += seconds_of(usage.ru_stime);
        minor_faults_ += usage.ru_minflt;
        major_faults_ += usage.ru_majflt;
        voluntary_ += usage.ru_nvcsw;
        involuntary_ += usage.ru_nivcsw;
        peak_ = peak_ > usage.ru_maxrss ? peak_ : usage.ru_maxrss;
    }

    // A program that forks and returns is over when it returns.
    void kill_the_rest() {
        for (int round = 0; round < most_rounds_of_killing; ++round) {
            const auto rest = descendants();
            if (round == 0) {
                left_ = rest.size();
            }
            for (const pid_t process : rest) {
                kill(process, SIGKILL);
            }
            reap();
            if (rest.empty()) {
                return;
            }
            usleep(2000);
        }
    }

    void write() const {
        const double wall = ended_ ? *ended_ : now() - began_;
        const double busy = busy_seconds(request_.cpus) - busy_at_start_;
        const double started = kernel_started();
        json::Object object;
        object.add("kind", R"("observed")")
            .add("host", json::quote(host_name()))
            .add("boot", json::quote(kernel_boot()))
            .add("kernel_started", started > 0 ? json::number(started) : "null")
            .add("ended", ended_ ? "true" : "false")
            .add("wall_seconds", json::number(wall))
            .add("user_seconds", json::number(user_))
            .add("system_seconds", json::number(system_))
            .add("peak_bytes", json::integer(1024 * peak_))
            .add("minor_faults", json::integer(minor_faults_))
            .add("major_faults", json::integer(major_faults_))
            .add("voluntary_switches", json::integer(voluntary_))
            .add("involuntary_switches", json::integer(involuntary_))
            .add("left_processes", json::integer(left_))
            .add("cpus", json::array(request_.cpus, [](int cpu) { return json::integer(cpu); }))
            .add("busy_seconds", json::number(busy))
            .add("tree", tree_.to_json());
        const std::string partial = request_.file + ".partial";
        std::ofstream file(partial);
        file << object.str() << '\n';
        file.close();
        if (!file || std::rename(partial.c_str(), request_.file.c_str()) != 0) {
            std::fprintf(stderr, "machmeter-bind: cannot write %s\n", request_.file.c_str());
        }
    }

    const Request& request_;
    pid_t child_;
    pid_t launcher_;
    double began_;
    double busy_at_start_;
    ProcessTree tree_;
    std::optional<double> ended_;
    std::optional<double> to_end_by_;
    int status_ = 0;
    double user_ = 0;
    double system_ = 0;
    long minor_faults_ = 0;
    long major_faults_ = 0;
    long voluntary_ = 0;
    long involuntary_ = 0;
    long peak_ = 0;
    std::size_t left_ = 0;
};

// As the program did: by its signal, without a second dump of memory, or with its code.
[[noreturn]] void end_as(int status) {
    if (WIFSIGNALED(status)) {
        const rlimit none{0, 0};
        setrlimit(RLIMIT_CORE, &none);
        const int number = WTERMSIG(status);
        signal(number, SIG_DFL);
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, number);
        sigprocmask(SIG_UNBLOCK, &set, nullptr);
        raise(number);
    }
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

}  // namespace

int run(const Request& request, const std::function<int()>& become) {
    const sigset_t signals = handled();
    sigset_t before;
    sigprocmask(SIG_BLOCK, &signals, &before);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t launcher = getppid();
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0) {
        std::perror("machmeter-bind: fork");
        return 126;
    }
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &before, nullptr);
        // Nobody would observe what outlives this parent, or end it.
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        _exit(getppid() == parent ? become() : 126);
    }
    close_descriptors();
    end_as(Parent(request, child, launcher).watch());
}

}  // namespace machmeter::observe
