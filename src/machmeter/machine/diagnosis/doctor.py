"""Whether this machine is ready for benchmarking, with a fix for each problem."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.machine.diagnosis.adapters import diagnose_adapters
from machmeter.machine.diagnosis.channels import diagnose_channels
from machmeter.machine.diagnosis.libraries import diagnose_libraries
from machmeter.machine.diagnosis.limits import diagnose_limits
from machmeter.machine.diagnosis.probe import Probes
from machmeter.machine.diagnosis.system import diagnose_system
from machmeter.machine.diagnosis.tools import diagnose_tools
from machmeter.model.machine import Diagnosis, Machine, Severity

_ORDER = (Severity.LACKING, Severity.WARNING, Severity.NOTE, Severity.GOOD)


def diagnose(
    machine: Machine, probes: Probes, more: Sequence[Diagnosis] = ()
) -> tuple[Diagnosis, ...]:
    """Everything that `machmeter doctor` checks, and what more there is, the worst first.

    LACKING stops a measurement or part of one, WARNING makes figures differ from what the machine
    can do or from run to run, NOTE is good to know, GOOD is as it should be.
    """
    found = [
        *diagnose_tools(probes),
        *diagnose_limits(machine, probes),
        *diagnose_system(machine, probes),
        *diagnose_adapters(machine),
        diagnose_channels(machine),
        *diagnose_libraries(machine),
        *more,
    ]
    return tuple(sorted(found, key=lambda diagnosis: _ORDER.index(diagnosis.severity)))
