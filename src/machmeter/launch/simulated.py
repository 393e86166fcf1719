"""Simulate launches on a model of a machine, by a program that writes records as all others do."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from machmeter.launch.launcher import Attempt
from machmeter.launch.process import run_process
from machmeter.model.layout import Binding, Layout
from machmeter.model.plan.launch import Launch
from machmeter.model.twin import Twin, TwinProgress
from machmeter.model.written.text import readable

JOB, NEAR, FAR = "job", "near", "far"
"""Which two nodes layouts of two nodes have: as many links apart as those of a job are
(`network.pair_hops`), those next to each other, or as far as there are."""
_PROGRESS = {TwinProgress.HOST: "--host-progress", TwinProgress.NIC: "--nic-progress"}


class SimulatingLauncher:
    """Implements `Launcher` by the program that simulates, on one twin.

    program: its path; mpi: the library whose algorithms are taken where a launch names none; pair:
    which two nodes layouts of two nodes have.
    """

    def __init__(
        self,
        program: str,
        twin: Twin,
        environment: Mapping[str, str],
        *,
        mpi: str = "",
        pair: str = JOB,
    ) -> None:
        self._program = program
        self._twin = twin
        self._environment = dict(environment)
        self._mpi = mpi or twin.mpi
        self._pair = pair

    def start(self, launch: Launch, record: Path, limit_seconds: float) -> Attempt:
        """Simulate one launch to its end, at most `limit_seconds` of this machine's time."""
        mpi = launch.spec.variant.mpi or self._mpi
        arguments = simulated_arguments(launch, record, self._twin, mpi)
        command = (self._program, *arguments, "--pair", self._pair)
        result = run_process(command, self._environment, limit_seconds)
        return Attempt(tuple(map(readable, command)), result)


def simulated_arguments(launch: Launch, record: Path, twin: Twin, mpi: str) -> tuple[str, ...]:
    """What the program is called with to simulate `launch` on `twin` and write `record`."""
    spec = launch.spec
    points = [word for point in spec.points for word in ("--point", point.parameter_text)]
    return (
        *(spec.benchmark, "--record", str(record)),
        *("--launch", str(launch.number), "--seed", str(launch.seed)),
        *("--page-bytes", str(spec.layout.page_bytes)),
        *("--samples", str(spec.samples)),
        *("--seconds-per-point", f"{spec.seconds_per_point:g}"),
        *_layout_arguments(spec.layout),
        *machine_arguments(twin, mpi),
        *points,
    )


def _layout_arguments(layout: Layout) -> tuple[str, ...]:
    binding = Binding.SPREAD if layout.binding is Binding.SPREAD else Binding.CLOSE
    return (
        *("--nodes", str(layout.nodes), "--ranks-per-node", str(layout.ranks_per_node)),
        *("--package", str(layout.package), "--binding", binding.value),
        *("--progress", layout.progress.name.lower()),
    )


def machine_arguments(twin: Twin, mpi: str) -> tuple[str, ...]:
    """What the program is called with to know the machine."""
    shape = ("--shape", ",".join(map(str, twin.shape))) if twin.shape else ()
    numbers = (word for one in twin.parameters for word in ("--set", f"{one.name}={one.value!r}"))
    return (
        *("--topology", twin.topology.value, *shape, "--machine-nodes", str(twin.nodes)),
        *("--node-packages", str(twin.node.packages)),
        *("--node-cores-per-package", str(twin.node.cores_per_package)),
        *("--mpi", mpi, _PROGRESS[twin.progress]),
        *numbers,
    )
