"""Variables that make one rank and its threads run as their layout says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from machmeter.model.layout import Assignment, Binding, Layout, WaitPolicy

_WAIT: dict[WaitPolicy, dict[str, str]] = {
    WaitPolicy.DEFAULT: {},
    WaitPolicy.ACTIVE: {
        "OMP_WAIT_POLICY": "active",
        "GOMP_SPINCOUNT": "infinity",
        "KMP_BLOCKTIME": "infinite",
    },
    WaitPolicy.PASSIVE: {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0", "KMP_BLOCKTIME": "0"},
}


def omp_environment(layout: Layout, rank_cpus: Sequence[tuple[int, ...]]) -> dict[str, str]:
    """Variables for one rank whose thread `t` was given the CPUs `rank_cpus[t]`.

    Bound threads get one place each, in thread order, with OMP_PROC_BIND=close: with as many
    places as threads, thread `t` is then on place `t` (OpenMP 5.2, section 10.1.3). The rank's own
    affinity must hold all of its CPUs, for libgomp drops foreign places, and spins at most 1,000
    turns where it counts more threads than CPUs.

    Inner teams: OMP_PROC_BIND=spread,close over the same list of places. `spread` cuts it into one
    stretch an outer thread, `close` takes the places of its own stretch in turn, so that every
    thread is again on the place of its own number. Where outer threads alone are bound, each has
    one place with all CPUs of its team; its stretch is that place, and its team moves inside it.

    The wait policy is a hint (OpenMP 5.2, section 21.1.9), so each runtime gets it by its own
    words too: libgomp by GOMP_SPINCOUNT (libgomp manual, section 4.17), LLVM and Intel by
    KMP_BLOCKTIME, whose default lets an active thread sleep after 200 ms. By default there is no
    variable; the caller's reach no launch (`launch.environment`). Where the binding is left to the
    default too, nothing is said of threads either.

    Raises ValueError when there are not as many entries as threads.
    """
    if len(rank_cpus) != layout.cpus_per_rank:
        raise ValueError(
            f"CPUs for {layout.cpus_per_rank} threads are needed, {len(rank_cpus)} were given"
        )
    if layout.binding is Binding.DEFAULT:
        return dict(_WAIT[layout.wait_policy])
    environment = team_environment(layout) | _WAIT[layout.wait_policy]
    if not layout.binding.is_bound or not all(rank_cpus):
        return environment | {"OMP_PROC_BIND": "false"}
    shared = layout.binding is Binding.OUTER
    own_places = rank_cpus[:: layout.inner_threads] if shared else rank_cpus
    places = ",".join("{" + ",".join(str(cpu) for cpu in cpus) + "}" for cpus in own_places)
    return environment | {
        "OMP_PROC_BIND": "spread,close" if layout.inner_threads > 1 else "close",
        "OMP_PLACES": places,
    }


def team_environment(layout: Layout) -> dict[str, str]:
    """Variables that give each rank its number of threads, and say nothing of where they run."""
    nested = layout.inner_threads > 1
    return {
        "OMP_NUM_THREADS": f"{layout.threads_per_rank}" + f",{layout.inner_threads}" * nested,
        "OMP_MAX_ACTIVE_LEVELS": "2" if nested else "1",
        "OMP_DYNAMIC": "false",
    }


def progress_environment(assignment: Assignment, rank: int) -> dict[str, str]:
    """What tells a rank to start a progress thread, and on which CPUs: `0,2`; else nothing."""
    if not assignment.progress:
        return {}
    return {"MACHMETER_PROGRESS_CPUS": ",".join(map(str, assignment.progress[rank]))}


def idle_environment(family: str, layout: Layout, assignment: Assignment) -> dict[str, str]:
    """What tells ranks of an MPI of that family what to do while they wait for a message.

    Open MPI gives its CPU away where ranks share one, and nowhere else. Left to itself it goes by
    what its launcher counts as slots, which is not what we bind to: four ranks bound to two cores
    of a host that was given four slots took 32 ms for an allreduce of 8 bytes, and 11 us so. MPICH
    has no such switch.
    """
    if family != "openmpi" or layout.binding is Binding.DEFAULT:
        return {}
    return {"OMPI_MCA_mpi_yield_when_idle": str(int(_ranks_share_cpus(layout, assignment)))}


def _ranks_share_cpus(layout: Layout, assignment: Assignment) -> bool:
    owners = Counter(
        cpu for rank in assignment.cpus for cpu in {cpu for thread in rank for cpu in thread}
    )
    # Of ranks that are not bound nobody knows; they were requested beyond what there is.
    return max(owners.values(), default=0) > 1 or (not owners and layout.oversubscribe)
