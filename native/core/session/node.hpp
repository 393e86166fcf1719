// Programs of one process: nothing to start and no other rank to wait for.
#pragma once

#include <string>

#include "core/session/benchmark.hpp"
#include "core/session/session.hpp"
#include "core/session/team.hpp"

namespace machmeter {

class NodeRuntime {
   public:
    static constexpr const char* program = "machmeter-node";
    using Team = SingleTeam;
    using Session = BasicSession<NodeRuntime>;
    struct Needs {};

    void start(const Needs& /*needs*/, const Arguments& /*arguments*/, int& /*count*/,
               char**& /*words*/) {}
    [[nodiscard]] const Team& team() const { return team_; }
    static std::string linked_library() { return ""; }
    static std::string transport() { return "{}"; }
    static void start_progress() {}
    static std::string observe_progress() { return ""; }
    static void require(const Benchmark<NodeRuntime>& /*benchmark*/) {}
    static void finish() {}
    static void abandon(int /*code*/) {}

   private:
    Team team_;
};

using NodeSession = NodeRuntime::Session;
using RegisterNodeBenchmark = RegisterBenchmark<NodeRuntime>;

}  // namespace machmeter
