// A parent that observes a program of somebody else's, and is to its launcher as that program is.
#pragma once

#include <functional>
#include <set>
#include <string>

namespace machmeter::observe {

struct Request {
    std::string file;    // is written when the program has ended, and when this process is to end
    std::set<int> cpus;  // of the rank
};

// Forks: the child calls `become`, which returns only where the program cannot be started; its
// result is then the child's exit code. This process reaps whatever the program leaves, hands its
// signals on, and ends as the program did. Returns only where it cannot fork.
int run(const Request& request, const std::function<int()>& become);

}  // namespace machmeter::observe
