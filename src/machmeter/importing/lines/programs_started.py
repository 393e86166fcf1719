"""Programs that launch lines start: whether one is a benchmark, and may have printed a table."""

from __future__ import annotations

import re

from machmeter.importing.lines.program_names import benchmark_of


def is_benchmark(program: str) -> bool:
    """Whether a program may be a benchmark: no `hostname` or the like before it."""
    return program.rsplit("/", 1)[-1].lower().split(".")[0] not in _NO_BENCHMARKS


def may_print(program: str, test: str) -> bool:
    """Whether what a launch starts may have printed a table with that title."""
    name = program.rsplit("/", 1)[-1].lower()
    # Titles are no paths: "Multiple Bandwidth / Message Rate".
    suite, own = benchmark_of(program), benchmark_of(test.replace("/", " "))
    if not suite or not own or suite != own:
        return not suite and is_benchmark(program)
    title = re.sub(r"-(?:cuda|rocm|openacc)|[^a-z]", "", test.lower())
    short = name.removeprefix("osu_")
    return own != "osu" or short not in _TITLES or _TITLES[short] in title


_NO_BENCHMARKS = frozenset(
    (
        *(
            "hostname",
            "date",
            "echo",
            "env",
            "printenv",
            "uname",
            "lscpu",
            "numactl",
            "true",
            "cat",
        ),
        *(
            "sleep",
            "nvidia-smi",
            "hello",
            "hello_world",
            "mpi_hello",
            "ibstat",
            "ls",
            "mkdir",
            "cp",
        ),
        *("lstopo", "free", "ulimit", "module", "ompi_info", "ucx_info", "fi_info", "whoami", "id"),
    )
)
_TITLES = {
    "latency": "osumpilatency",
    "bw": "osumpibandwidth",
    "bibw": "bidirectionalbandwidth",
    "mbw_mr": "messagerate",
    "multi_lat": "multilatency",
    "bcast": "broadcast",
    "allreduce": "allreduce",
    "reduce": "reducelatency",
    "barrier": "barrier",
    "alltoall": "alltoall",
    "allgather": "allgather",
    "gather": "gather",
    "scatter": "scatter",
    "init": "init",
}
