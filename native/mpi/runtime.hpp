// MPI as the runtime of a program, and the session that its benchmarks get.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/clock/clock.hpp"
#include "core/host/memory_size.hpp"
#include "core/libraries/transports.hpp"
#include "core/openmp/teams.hpp"
#include "core/session/benchmark.hpp"
#include "core/session/session.hpp"
#include "mpi/library.hpp"
#include "mpi/progress_thread.hpp"
#include "mpi/team.hpp"
#include "mpi/transport.hpp"
#include "mpi/yields.hpp"

namespace machmeter {

class MpiSession;

class MpiRuntime {
   public:
    static constexpr const char* program = "machmeter-mpi";
    using Team = MpiTeam;
    using Session = MpiSession;

    // thread_level: requested of MPI_Init_thread.
    struct Needs {
        int thread_level = MPI_THREAD_FUNNELED;
    };

    // What MPI_Init_thread took: its time, and the memory of this rank before and after it.
    struct StartUp {
        double init_seconds = 0;
        ProcessMemory before;
        ProcessMemory after;
    };

    void start(const Needs& needs, const Arguments& /*arguments*/, int& count, char**& words) {
        startup_.before = process_memory();
        const std::uint64_t begin = monotonic_clock.now();
        MPI_Init_thread(&count, &words, thread_level(needs), &thread_level_);
        startup_.init_seconds = seconds_between(begin, monotonic_clock.now());
        startup_.after = process_memory();
        team_ = std::make_unique<MpiTeam>(MPI_COMM_WORLD);
        transport_ = std::make_unique<MpiTransport>(MPI_COMM_WORLD);
    }

    [[nodiscard]] const Team& team() const { return *team_; }
    [[nodiscard]] const MpiTransport& messages() const { return *transport_; }
    [[nodiscard]] const StartUp& startup() const { return startup_; }

    static std::string linked_library() { return mpi_library(); }
    [[nodiscard]] std::string transport() const {
        return team().is_root() ? to_json(mpi_transports()) : "";
    }

    // On every rank or on none. The thread polls its own communicator and so takes no message of
    // others.
    void start_progress() {
        const std::vector<int> cpus = requested_progress_cpus();
        const bool here = !cpus.empty();
        if (!team().all(here)) {
            if (!team().all(!here)) {
                throw std::runtime_error(
                    std::string(progress_variable) +
                    " is set for some ranks only: set it for every rank or for none");
            }
            return;
        }
        if (thread_level_ < MPI_THREAD_MULTIPLE) {
            return;  // `require` reports it.
        }
        // Freed by MPI_Finalize: freeing is collective, and after an error other ranks would wait.
        MPI_Comm group = MPI_COMM_NULL;
        MPI_Comm_dup(team().group(), &group);
        progress_.emplace(
            cpus, pause_on(cpus), team().rank(), requested_teams().threads(), [group] {
                int flag = 0;
                MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, group, &flag, MPI_STATUS_IGNORE);
            });
    }

    [[nodiscard]] std::string observe_progress() const {
        return progress_ ? team().join(progress_->place().to_json()) : "";
    }

    // A few blocking messages to and fro between ranks 2i and 2i + 1: what this rank received, and
    // how often it yielded.
    Exchanged exchange() const {
        constexpr int round_trips = 8;
        const int partner = team().rank() ^ 1;
        if (partner >= team().size()) {
            return {};
        }
        const std::uint64_t begin = yields;
        char word[8] = {};
        const auto send = [&] {
            MPI_Send(word, sizeof word, MPI_CHAR, partner, 0, team().group());
        };
        const auto receive = [&] {
            MPI_Recv(word, sizeof word, MPI_CHAR, partner, 0, team().group(), MPI_STATUS_IGNORE);
        };
        for (int trip = 0; trip < round_trips; ++trip) {
            partner > team().rank() ? send() : receive();
            partner > team().rank() ? receive() : send();
        }
        return {round_trips, yields - begin};
    }

    // Who lets communication proceed, as text.
    [[nodiscard]] std::string progress_text() const {
        return progress_ ? progress_->to_text()
                         : "left to the library: no progress thread, no MPI calls during work";
    }

    void require(const Benchmark<MpiRuntime>& benchmark) const {
        const int needed = thread_level(benchmark.needs);
        if (thread_level_ < needed) {
            throw std::runtime_error(
                std::string(benchmark.name) + (wants_progress() ? " with a progress thread" : "") +
                " needs " + std::string(thread_level_name(needed)) + ", but " + mpi_library() +
                " provides only " + std::string(thread_level_name(thread_level_)) +
                ": measure it under another MPI, or one built with thread support");
        }
    }

    void finish() {
        progress_.reset();
        MPI_Finalize();
    }

    // A rank that waits for this one would wait forever. MPICH's Hydra, once it knows of the abort,
    // drops what it has not read yet of the ranks' output: one message in fourteen, the reason why.
    void abandon(int code) {
        progress_.reset();
        if (team_) {
            std::this_thread::sleep_for(time_to_read_output);
            MPI_Abort(MPI_COMM_WORLD, code);
        }
    }

   private:
    static constexpr std::chrono::milliseconds time_to_read_output{100};

    static bool wants_progress() {
        const char* cpus = std::getenv(progress_variable);
        return cpus != nullptr && *cpus != '\0';
    }

    // A progress thread calls MPI at the same time as the rank.
    static int thread_level(const Needs& needs) {
        return wants_progress() ? MPI_THREAD_MULTIPLE : needs.thread_level;
    }

    StartUp startup_;
    int thread_level_ = MPI_THREAD_SINGLE;
    std::unique_ptr<MpiTeam> team_;
    std::unique_ptr<MpiTransport> transport_;
    std::optional<ProgressThread> progress_;
};

class MpiSession : public BasicSession<MpiRuntime> {
   public:
    using BasicSession::BasicSession;

    [[nodiscard]] const MpiTransport& transport() const { return runtime().messages(); }

    // This rank's end of the pair of ranks 0 and 1.
    [[nodiscard]] End end() const { return {team().is_root(), team().is_root() ? 1 : 0}; }
};

using RegisterMpiBenchmark = RegisterBenchmark<MpiRuntime>;

}  // namespace machmeter
