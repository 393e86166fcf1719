// How often this thread gave its CPU away with sched_yield: what some MPI libraries do at every
// poll, and what their latency then is.
#pragma once

#include <cstdint>

namespace machmeter {

// Counted by machmeter-mpi (main/mpi.cpp), 0 elsewhere.
inline thread_local std::uint64_t yields = 0;

}  // namespace machmeter
