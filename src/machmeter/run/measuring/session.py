"""One session of a run: launches one after the other, each on disk before the next one starts."""

from __future__ import annotations

import math
import os
import shlex
import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, partial
from statistics import median

from msgspec import UNSET
from msgspec.structs import replace

from machmeter.launch.launcher import Launcher
from machmeter.layout.assign import assign
from machmeter.layout.elsewhere import NodeCpus, assign_elsewhere
from machmeter.model.errors import ExitCode, MachineLacksError
from machmeter.model.machine import Topology
from machmeter.model.plan.launch import (
    FileState,
    Launch,
    LaunchOutcome,
    LaunchSpec,
    LostHost,
    QuietWait,
    Record,
    Verdict,
)
from machmeter.model.results.run import Precision
from machmeter.model.variant import Variant
from machmeter.run.measuring.hosts.lost import HostsLostError, lost_text
from machmeter.run.measuring.judge import (
    FirstLaunch,
    as_it_stands,
    cpu_numbers,
    judge,
    judge_attempt,
    loaded_libraries,
)
from machmeter.run.measuring.progress import (
    NOTHING_REMAINING,
    ProgressListener,
    Remaining,
    RunProgress,
)
from machmeter.run.measuring.quiet import QuietWatch
from machmeter.run.measuring.stopping import rule_of
from machmeter.run.measuring.tally import Tally
from machmeter.run.planning.plan import expected_launch_seconds
from machmeter.run.planning.schedule import given_up, groups_of, launch_seed
from machmeter.store.run_folder import RunFolder, as_written

_LIMIT_FACTOR = 10
_LEAST_FOR_VARIANCE = 2
_INTERRUPTED = "the run was interrupted during this launch"
_LEAST_LIMIT_SECONDS = 30.0
# All points of a layout, of up to millions of ranks.
_SIMULATED_LIMIT_SECONDS = 600.0


class Session:
    """Launches specs, keeps what became of them, and knows which of them need more launches."""

    def __init__(
        self,
        folder: RunFolder,
        launcher: Launcher,
        topology: Topology,
        precision: Precision,
        listener: ProgressListener,
        quiet: QuietWatch | None = None,
        nodes: Sequence[NodeCpus] = (),
    ) -> None:
        """quiet: what looks whether others use the CPUs of a launch (None: nothing waits); nodes:
        which CPUs may be used on each; one that does not say it is as the first."""
        self._quiet = quiet
        self._elsewhere = cache(partial(assign_elsewhere, topology=topology, nodes=tuple(nodes)))
        self._folder = folder
        self._launcher = launcher
        self._topology = topology
        self._precision = precision
        self._listener = listener
        header = folder.header()
        self._seed = header.seed
        self._devices = {one.name: one for one in header.machine.devices or ()}
        self._starts = header.machine.software.mpi_starts
        self._own = header.request.study.benchmarks
        self._among_others = header.request.among_others
        self._shown: RunProgress | None = None
        self._verdicts: dict[str, list[Verdict]] = defaultdict(list)
        self._seconds: dict[str, list[float]] = defaultdict(list)
        self._rounds_tried: dict[str, set[int]] = defaultdict(set)
        self._rounds_made: dict[str, set[int]] = defaultdict(set)
        self._first_values: dict[str, Mapping[str, float]] = {}
        # Variants have MPI libraries of their own.
        self._first_libraries: dict[tuple[str, Variant], tuple[str, ...]] = {}
        self._first_inputs: dict[tuple[str, Variant], dict[str, FileState]] = defaultdict(dict)
        self._partners: dict[str, tuple[LaunchSpec, ...]] = {}
        self._superseded: frozenset[str] = frozenset()
        self._launch_seconds = 0.0
        self._seen_seconds = self._guessed_seconds = 0.0
        self._began = time.monotonic()
        self._stopped_seconds = 0.0
        self._next = 1
        self._points = 0
        self.tally = Tally(precision, self._own, header.request.twin)
        self._rule = rule_of(precision, self.tally, (), self._own)
        self.rounds_begun = 0
        self.launched_in_last_round: set[str] = set()
        self._take_up()
        # A sitting that was killed could not say how long it lasted; its launches did.
        self._seconds_before = max(folder.state().wall_seconds, self._launch_seconds)

    def pair(self, specs: Sequence[LaunchSpec], superseded: Collection[str] = ()) -> None:
        """Let specs of one group count together: what one of them has alone is no pair.

        The stopping rule is of all specs. superseded: names of those that are launched no more.
        """
        self._superseded = frozenset(superseded)
        self._partners = {spec.name: partners for partners in groups_of(specs) for spec in partners}
        self._rule = rule_of(self._precision, self.tally, specs, self._own)

    @property
    def spent(self) -> float:
        """Seconds that the run took until now, earlier sessions included."""
        return self._seconds_before + self.elapsed

    @property
    def elapsed(self) -> float:
        """Seconds since this session began, without those in which it was suspended."""
        return time.monotonic() - self._began - self._stopped_seconds

    def launch(self, spec: LaunchSpec, round_number: int = 0) -> LaunchOutcome:
        """Start one launch of `spec`, wait for its end, and keep what became of it.

        Raises MachineLacksError when the disk takes no more files, HostsLostError where the launch
        failed since hosts are lost.
        """
        number = self._next
        self._next += 1
        elsewhere = self._elsewhere(spec.layout)
        launch = Launch(
            number=number,
            spec=spec,
            seed=launch_seed(self._seed, number),
            assignment=assign(spec.layout, self._topology),
            round=round_number,
            device=self._devices[spec.layout.device] if spec.layout.device else UNSET,
            elsewhere=elsewhere.assignments or UNSET,
        )
        self._folder.write_launch(launch)
        if elsewhere.lacking:
            raise self._without(launch, elsewhere.lacking)
        waited = self._wait(launch)
        started = datetime.now(UTC).isoformat()
        limit = self._limit_seconds(spec)
        attempt = self._launcher.start(launch, self._folder.record_path(number), limit)
        self._stopped_seconds += attempt.result.stopped_seconds
        record = self._folder.record(number)
        outcome = judge_attempt(
            launch,
            attempt,
            record,
            started=started,
            usable=cpu_numbers(self._topology),
            own=self._own,
            first=self._first(spec),
            among_others=self._among_others,
        )
        outcome = replace(outcome, waited=waited, lost_hosts=attempt.lost_hosts or UNSET)
        # Programs that are not ours mean something else by that exit code.
        if spec.command is None:
            self._refuse_what_lacks(outcome)
        self._folder.write_outcome(outcome)
        self._add(spec, outcome, record)
        if outcome.lost_hosts:
            raise HostsLostError(outcome.lost_hosts)
        return outcome

    def _without(self, launch: Launch, lacking: Sequence[tuple[str, str]]) -> HostsLostError:
        """Keep that a launch was not started, since hosts cannot have its layout."""
        lost = tuple(LostHost(name, why, lacks_cpus=True) for name, why in lacking)
        outcome = LaunchOutcome(
            launch=launch.number,
            spec=launch.spec.name,
            verdict=Verdict.FAILED,
            reasons=(f"not started: {lost_text(lost)}",),
            command=(),
            exit_code=0,
            started=datetime.now(UTC).isoformat(),
            wall_seconds=0.0,
            round=launch.round,
            lost_hosts=lost,
        )
        self._folder.write_outcome(outcome)
        return HostsLostError(lost)

    def _wait(self, launch: Launch) -> QuietWait | None:
        """Wait for the CPUs of a launch to be quiet, and report it."""
        if self._quiet is None:
            return None
        bound = {cpu for rank in launch.assignment.cpus for cpus in rank for cpu in cpus}

        def report(busy: float) -> None:
            if self._shown is not None:
                what = f"other programs use {100 * busy:.0f} % of the time of its CPUs"
                phase = "waiting for quiet CPUs"
                self._listener(replace(self._shown, phase=phase, what=what, elapsed=self.elapsed))

        return self._quiet.wait(bound or cpu_numbers(self._topology), report)

    def _limit_seconds(self, spec: LaunchSpec) -> float:
        if spec.command is not None:
            left = self._precision.budget_seconds - self.spent
            seen = 2 * max(self._seconds[spec.name], default=0.0)
            return min(spec.command.limit_seconds, max(left, seen, _LEAST_LIMIT_SECONDS))
        if spec.simulated:
            return _SIMULATED_LIMIT_SECONDS
        longest = max(self.launch_seconds(spec), expected_launch_seconds(spec, self._starts))
        return max(_LEAST_LIMIT_SECONDS, _LIMIT_FACTOR * longest)

    def launches(self, spec: LaunchSpec) -> int:
        """Accepted launches of `spec` so far, earlier sessions included."""
        return self.tally.accepted(spec)

    def made(self, spec: LaunchSpec) -> int:
        """Launches of `spec` that count: of partners the rounds in which both were accepted."""
        return self._common(spec, self._rounds_made, self.launches(spec))

    def tried(self, spec: LaunchSpec) -> int:
        """Rounds in which `spec` was launched, with its partner if it has one, whatever became of
        them; an interruption is no launch."""
        return self._common(spec, self._rounds_tried, len(self._rounds_tried[spec.name]))

    def _common(self, spec: LaunchSpec, rounds: Mapping[str, set[int]], alone: int) -> int:
        # A partner that is launched no more has no rounds to come.
        partners = [one for one in self._partners.get(spec.name, ()) if not self.gave_up(one)]
        if spec not in partners or len(partners) == 1:
            return alone
        return len(set.intersection(*(rounds[one.name] for one in partners)))

    def rounds_of_all(self, specs: Sequence[LaunchSpec]) -> int:
        """Rounds in which a launch of each of `specs` was accepted."""
        return len(set.intersection(*(self._rounds_made[spec.name] for spec in specs)))

    def gave_up(self, spec: LaunchSpec) -> bool:
        """Whether `spec` is launched no more: its last launches all failed, or hosts it needs are
        lost."""
        return self.is_superseded(spec) or given_up(self._verdicts[spec.name])

    def is_superseded(self, spec: LaunchSpec) -> bool:
        """Whether `spec` is launched no more since hosts it needs are lost."""
        return spec.name in self._superseded

    def may_go_on(self, spec: LaunchSpec) -> bool:
        """Whether `spec` may be launched again: not given up, nor as often as it may be."""
        most = self._precision.most_launches
        most = min(most, spec.most_launches) if spec.most_launches else most
        return not self.gave_up(spec) and self.made(spec) < most

    def begin_round(self, number: int) -> None:
        """Let the stopping rule take in the rounds before `number`."""
        self._rule.begin_round(number)

    def wants_more(self, spec: LaunchSpec) -> bool:
        """Whether the stopping rule wants another launch of `spec`."""
        return self.may_go_on(spec) and self._rule.wants_more(spec, self.made(spec))

    def launch_seconds(self, spec: LaunchSpec) -> float:
        """How long a launch of `spec` takes, seconds: as accepted ones took, else a guess, at the
        pace at which launches of others took longer or shorter than guessed.
        """
        seen = self._seconds[spec.name]
        return (
            sum(seen) / len(seen)
            if seen
            else self._pace * expected_launch_seconds(spec, self._starts)
        )

    @property
    def _pace(self) -> float:
        return self._seen_seconds / self._guessed_seconds if self._guessed_seconds else 1.0

    def notify(
        self,
        phase: str,
        what: str,
        specs: tuple[LaunchSpec, ...],
        left: float,
        times: int = 0,
        remaining: Remaining = NOTHING_REMAINING,
    ) -> None:
        """Report progress over `specs`; `left`: what the budget leaves them, seconds.

        times: launches of each spec where their number is fixed (0: as its precision asks).
        """
        estimates = [e for spec in specs for e in self.tally.estimates(spec, primary_only=True)]
        precisions = [e.precision for e in estimates if e.resolved]
        missing = {spec.name: self._launches_missing(spec, times) for spec in specs}
        wanted = sum(missing[spec.name] * self.launch_seconds(spec) for spec in specs)
        done = sum(self.launches(spec) for spec in specs)
        still = max(remaining.at_least, min(left, wanted), 0.0)
        self._shown = RunProgress(
            phase=phase,
            what=what,
            launches_done=done,
            median_precision=median(precisions) if precisions else math.inf,
            elapsed=self.elapsed,
            left=still + remaining.after,
            over=max(0.0, still - max(left, 0.0)) if remaining.at_least else 0.0,
            at_most=remaining.at_most or not (times or all(map(self._shows_variance, specs))),
        )
        self._listener(self._shown)

    def _launches_missing(self, spec: LaunchSpec, times: int) -> int:
        if self.gave_up(spec) or not (times or self.wants_more(spec)):
            return 0
        if times:
            return max(0, times - self.launches(spec))
        most = self._precision.most_launches
        if self._shows_variance(spec):
            expected = self.tally.expected_launches(spec)
            wanted = min(max(expected, self._precision.least_launches), most)
        else:
            wanted = most
        if spec.most_launches:
            wanted = min(wanted, spec.most_launches)
        return max(0, wanted - self.made(spec))

    def _shows_variance(self, spec: LaunchSpec) -> bool:
        """Whether it is known how its results vary from launch to launch, or that it has none."""
        return self.gave_up(spec) or self.launches(spec) >= _LEAST_FOR_VARIANCE

    def _refuse_what_lacks(self, outcome: LaunchOutcome) -> None:
        """Stop where a program could not write its record, or says that the machine lacks what all
        of its points need: the next launches would fail as well.

        No outcome is written, so that a resumed run takes the launch for an interrupted one.
        """
        if outcome.verdict is not Verdict.FAILED:
            return
        on = f"continue with `machmeter run --resume {shlex.quote(str(self._folder.path))}`"
        if outcome.exit_code == os.EX_IOERR:
            path = self._folder.record_path(outcome.launch)
            raise MachineLacksError(
                f"launch {outcome.launch} cannot write its record {path}: the disk is full, or "
                "files may not grow",
                f"free some space (or raise `ulimit -f`), then {on}; what was measured before is "
                "intact",
                details=outcome.output,
            )
        if outcome.exit_code == ExitCode.MACHINE_LACKS:
            raise MachineLacksError(
                f"launch {outcome.launch} lacks what its points need; {outcome.reasons[-1]}",
                f"do as it says, then {on}; or measure without these points",
                details=outcome.output,
            )

    def _add(self, spec: LaunchSpec, outcome: LaunchOutcome, record: Record) -> None:
        self.tally.add(spec, outcome, record)
        self._count(spec, outcome)
        # The first launch that was right is what the others are compared with.
        if outcome.verdict is Verdict.ACCEPTED and record.output is not None:
            self._first_values.setdefault(spec.benchmark, record.output.values)
        of_variant = spec.benchmark, spec.variant
        if outcome.verdict is Verdict.ACCEPTED and record.header is not None:
            given = {one.path: one for one in record.header.inputs}
            self._first_inputs[of_variant] = given | self._first_inputs[of_variant]
        loaded = loaded_libraries(record)
        if outcome.verdict is Verdict.ACCEPTED and loaded:
            self._first_libraries.setdefault(of_variant, loaded)

    def _first(self, spec: LaunchSpec) -> FirstLaunch:
        of_variant = spec.benchmark, spec.variant
        return FirstLaunch(
            self._first_values.get(spec.benchmark, {}),
            self._first_libraries.get(of_variant, ()),
            self._first_inputs[of_variant],
        )

    def _count(self, spec: LaunchSpec, outcome: LaunchOutcome) -> None:
        if outcome.round > self.rounds_begun:
            self.rounds_begun = outcome.round
            self.launched_in_last_round = set()
        # Neither says anything of the spec: its turn in the round is still to come.
        if outcome.interrupted or outcome.lost_hosts:
            return
        self._verdicts[outcome.spec].append(outcome.verdict)
        self._rounds_tried[outcome.spec].add(outcome.round)
        if outcome.verdict is Verdict.ACCEPTED:
            self._rounds_made[outcome.spec].add(outcome.round)
        self._launch_seconds += outcome.wall_seconds
        if self._quiet is not None and outcome.waited is not None:
            self._quiet.spend(outcome.waited.seconds)
        # One that hung or failed says nothing of how long the next one may take; the time of a
        # launch that was settled afterwards is not known.
        if outcome.verdict is Verdict.ACCEPTED and outcome.wall_seconds > 0:
            self._seconds[outcome.spec].append(outcome.wall_seconds)
            self._seen_seconds += outcome.wall_seconds
            self._guessed_seconds += expected_launch_seconds(spec, self._starts)
        if outcome.round and outcome.round == self.rounds_begun:
            self.launched_in_last_round.add(outcome.spec)

    def _take_up(self) -> None:
        """Count what earlier sessions measured, and settle the launch they were killed in.

        Raises MachmeterError where its files hold what machmeter does not write.
        """
        self._folder.clear_unwritten()
        for number in self._folder.launch_numbers():
            self._next = number + 1
            launch = self._folder.launch(number)
            record = self._folder.record(number)
            outcome = self._folder.outcome(number)
            if outcome is None:
                outcome = settle(launch, self._folder, self._topology, self._first(launch.spec))
                self._folder.write_outcome(outcome)
                self._folder.clear_launch(number)
            outcome = as_it_stands(outcome, launch, record, cpu_numbers(self._topology))
            with as_written(f"launch {number} of the run in {self._folder.path}"):
                self._add(launch.spec, outcome, record)


def settle(
    launch: Launch,
    folder: RunFolder,
    topology: Topology,
    first: FirstLaunch = FirstLaunch(),  # noqa: B008 - frozen
) -> LaunchOutcome:
    """The outcome of a launch whose run was killed: accepted where its record is whole."""
    record = folder.record(launch.number)
    outcome = judge(
        launch,
        record,
        command=(),
        exit_code=0,
        timed_out=False,
        started=record.header.started if record.header else "",
        wall_seconds=0.0,
        output="",
        usable=cpu_numbers(topology),
        own=folder.header().request.study.benchmarks,
        first=first,
        among_others=folder.header().request.among_others,
    )
    if outcome.verdict is Verdict.ACCEPTED:
        return outcome
    return LaunchOutcome(
        launch=outcome.launch,
        spec=outcome.spec,
        verdict=outcome.verdict,
        reasons=(_INTERRUPTED, *outcome.reasons),
        command=(),
        exit_code=0,
        started=outcome.started,
        wall_seconds=0.0,
        round=launch.round,
        interrupted=True,
    )
