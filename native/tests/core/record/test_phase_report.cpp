#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

#include "core/record/phase_report.hpp"
#include "tests/support/check.hpp"

namespace machmeter {
namespace {

struct End {
    std::string said;
    int status = 0;
};

// The error output and the end of a child that runs `body`.
template <class Body>
End end_of_child(Body&& body) {
    std::array<int, 2> ends{};
    CHECK(pipe(ends.data()) == 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        body();
        _exit(0);
    }
    close(ends[1]);
    End end;
    std::array<char, 1024> text{};
    for (ssize_t got = 0; (got = read(ends[0], text.data(), text.size())) > 0;) {
        end.said.append(text.data(), static_cast<std::size_t>(got));
    }
    close(ends[0]);
    waitpid(child, &end.status, 0);
    return end;
}

TEST(a_process_that_is_ended_prints_its_phase_and_ends_by_the_signal) {
    const End end = end_of_child([] {
        phase_report::on_signal(SIGTERM);
        phase_report::set("machmeter-mpi: rank 3", "the start");
        phase_report::set("machmeter-mpi: rank 3", "measuring operation=alltoall,size=8");
        raise(SIGTERM);
    });
    CHECK(end.said == "machmeter-mpi: rank 3 was in: measuring operation=alltoall,size=8\n");
    CHECK(WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGTERM);
}

TEST(without_a_phase_nothing_is_said) {
    const End end = end_of_child([] {
        phase_report::on_signal(SIGTERM);
        raise(SIGTERM);
    });
    CHECK(end.said.empty());
    CHECK(WIFSIGNALED(end.status));
}

TEST(a_long_phase_is_cut_and_ends_its_line) {
    const End end = end_of_child([] {
        phase_report::set("machmeter-mpi: rank 12345", std::string(5000, 'x'));
        phase_report::write_to(STDERR_FILENO);
    });
    CHECK(end.said.size() < 512);
    CHECK(end.said.substr(end.said.size() - 3) == "xx\n");
    CHECK(end.status == 0);
}

}  // namespace
}  // namespace machmeter
