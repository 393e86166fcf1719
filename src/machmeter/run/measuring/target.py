"""What a run is measured on: chosen once from its request, and what depends on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from machmeter.launch.launcher import Launcher
from machmeter.launch.simulated import SimulatingLauncher
from machmeter.machine.detect import detect_machine
from machmeter.model.errors import UsageError
from machmeter.model.machine import Machine
from machmeter.model.results.curves import EarlierCache
from machmeter.model.results.run import Baseline, Plan, Request
from machmeter.model.twin import Twin
from machmeter.run.measuring.hosts.continued import most_nodes
from machmeter.run.measuring.hosts.lost import HostsLostError, lost_in, without_hosts
from machmeter.run.measuring.progress import ProgressListener
from machmeter.run.measuring.quiet import BUDGET_SHARE, QuietWatch
from machmeter.run.measuring.start import (
    Prepared,
    measure_run,
    prepare_programs,
    requests_of,
)
from machmeter.run.programs.compiled import (
    BuildContext,
    Notify,
    compiled_simulator,
    with_other_mpi,
    with_shmem,
)
from machmeter.run.programs.devices import with_devices
from machmeter.run.programs.fetched import as_if_fetched, with_fetched
from machmeter.run.programs.mpi_probe import with_mpi_starts
from machmeter.run.programs.startable import with_startable
from machmeter.simulation.as_machine import machine_of
from machmeter.store.run_folder import RunFolder

AMONG_OTHERS = "MACHMETER_BESIDE_OTHERS"
"""Set, launches count whatever other programs take of their CPUs, and wait for nobody."""


class ThisMachine(NamedTuple):
    """This machine, and the hosts of a request."""

    request: Request
    baseline: Baseline | None
    context: BuildContext
    notify: Notify

    def described(self, machine: Machine | None) -> tuple[Machine, Machine]:
        """The machine (None: detected), and as it will be once libraries are fetched."""
        installed = self.with_installed(machine or detect_machine(""))
        started = with_mpi_starts(self.request, installed, self.context)
        requests = requests_of(self.request, self.baseline)
        machine = complete = with_devices(requests, started, self.context, self.notify)
        for one in requests:
            complete = as_if_fetched(one, complete)
        return machine, complete

    def completed(self, machine: Machine | None) -> tuple[Request, Machine]:
        """What of the request can be started on the machine (None: detected), and that with what
        is fetched for a run."""
        machine = machine or detect_machine("")
        requests = requests_of(self.request, self.baseline)
        machine = with_devices(requests, machine, self.context, self.notify)
        for one in requests:
            machine = with_fetched(one, machine, self.context, self.notify)
        machine = with_mpi_starts(self.request, self.with_installed(machine), self.context)
        among = self.context.environment.get(AMONG_OTHERS, "") not in {"", "0"}
        request = with_startable(self.request, self.context, self.notify)
        return replace(request, among_others=among), machine

    def with_installed(self, machine: Machine) -> Machine:
        """The machine with the OpenSHMEM and the other MPI that are installed on it."""
        for one in requests_of(self.request, self.baseline):
            machine = with_shmem(one, machine, self.context.environment)
        # Pairs of an A/B run compare what they compare.
        if self.baseline is None:
            machine = with_other_mpi(self.request, machine, self.context)
        return machine

    def again(self, machine: Machine) -> Machine:
        """What a run that began on `machine` would be resumed on."""
        return detect_machine(machine.name)

    def watch(self) -> QuietWatch | None:
        """None where launches are on CPUs that are not seen from here, or count whatever others
        do."""
        if self.request.among_others or self.request.layout_options.hosts:
            return None
        return QuietWatch(BUDGET_SHARE * self.request.precision.budget_seconds)


class ModelOfMachine(NamedTuple):
    """The model of a machine: it stays as it is, and nobody else uses it."""

    request: Request
    twin: Twin
    context: BuildContext
    notify: Notify

    def described(self, _machine: Machine | None) -> tuple[Machine, Machine]:
        """The machine that it is the model of, which lacks no library."""
        machine = machine_of(self.twin)
        return machine, machine

    def completed(self, _machine: Machine | None) -> tuple[Request, Machine]:
        """The request, and the machine that it is the model of."""
        return self.request, machine_of(self.twin)

    def again(self, machine: Machine) -> Machine:
        """The same, wherever a run is resumed."""
        return machine

    def watch(self) -> None:
        """Nobody is waited for."""


Target = ThisMachine | ModelOfMachine
# To start a program on more takes seconds.
_MANY_HOSTS = 32


def target_of(
    request: Request, baseline: Baseline | None, context: BuildContext, notify: Notify
) -> Target:
    """What `request` is measured on. Raises UsageError for an A/B run on a model."""
    if request.twin is None:
        return ThisMachine(request, baseline, context, notify)
    if baseline is not None:
        raise UsageError(
            "an A/B run measures two variants in turn, and a simulated result varies by nothing",
            "leave --on out, or compare two runs: `machmeter compare A B`",
        )
    return ModelOfMachine(request, request.twin, context, notify)


def prepare(target: Target, plan: Plan, machine: Machine) -> Prepared:
    """What starts the launches of `plan`, with all that it needs. Raises MachineLacksError as
    `prepare_programs`."""
    request, context, notify = target.request, target.context, target.notify
    if isinstance(target, ThisMachine):
        return prepare_programs(request, plan, machine, context, notify, target.baseline)
    program = compiled_simulator(request.compiler, request.flags, context, notify)
    mpi = request.mpi.split(",")[0]
    return Prepared(SimulatingLauncher(program, target.twin, context.environment, mpi=mpi), machine)


def measured(
    folder: RunFolder,
    ready: Prepared,
    target: Target,
    listener: ProgressListener,
    likely: Plan,
    earlier: Sequence[EarlierCache],
) -> Launcher:
    """Measure the run in `folder` to its end, on the hosts of `target` and, where some are lost,
    on those that are left.

    ready: what `prepare` returned; the rest as of `measure_run`. Where an earlier session lost
    hosts and ended before its plan was one for those that are left, it is now. Returns what started
    the last launches.
    """
    plan, hosts = folder.plan(), target.request.layout_options.hosts
    is_for_these = plan is not None and most_nodes(plan) <= len(hosts)
    lost = () if is_for_these else lost_in(folder.outcomes())
    before = None if plan and lost else likely
    while True:
        several = most_nodes(plan or likely) > 1 and target.request.layout_options.hosts
        if several and len(several) > _MANY_HOSTS:
            target.notify(f"looking which CPUs may be used on each of {len(several)} hosts")
        try:
            measure_run(
                *(folder, ready.launcher, listener, before, earlier, target.watch()),
                request=target.request,
                lost=lost,
                nodes=ready.cpus_of_hosts() if several else (),
            )
        except HostsLostError as error:
            # All of them: the baseline's request names those that earlier sessions lost, too.
            lost = lost_in(folder.outcomes())
            target = target._replace(request=without_hosts(target.request, error.lost))
            left = len(target.request.layout_options.hosts)
            target.notify(f"{error}; going on with {left} host{'s' * (left != 1)}")
            ready, before = prepare(target, likely, folder.header().machine), None
        else:
            return ready.launcher
