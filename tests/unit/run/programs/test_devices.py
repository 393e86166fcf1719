"""Which devices a run measures, of those that there are."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from machmeter.build.devices.selected import refuse_no_device
from machmeter.model.device import Device, DeviceList, NamedDevice
from machmeter.model.errors import MachineLacksError, UsageError
from machmeter.model.machine import Machine
from machmeter.model.plan.study import LayoutOptions, Study
from machmeter.model.results.run import Request
from machmeter.run.programs import devices
from machmeter.run.programs.compiled import BuildContext
from machmeter.studies.comet.applications import COMET
from machmeter.studies.comet.network import COMET_NETWORK
from machmeter.studies.device import DEVICE
from machmeter.studies.quick import QUICK
from tests.support.fake_launcher import PRECISION
from tests.support.synthetic.machine import make_packages

CPU = NamedDevice("opencl:0", "opencl:a:0", Device("opencl", "EPYC", "cpu"))
SINGLE = NamedDevice(
    "opencl:1", "opencl:b:0", Device("opencl", "Iris", "gpu", double_precision=False)
)
GPU = NamedDevice("cuda:0", "cuda:GPU-1", Device("cuda", "H100", "gpu", double_precision=True))


def measured(
    monkeypatch: pytest.MonkeyPatch,
    *there: NamedDevice,
    named: tuple[str, ...] = (),
    study: Study = DEVICE,
) -> tuple[str, ...]:
    """The names of the devices that a run of device benchmarks measures."""

    def listed(*_: object) -> DeviceList:
        refuse_no_device(found := DeviceList(there))
        return found

    monkeypatch.setattr(devices, "listed_devices", listed)
    plain = make_packages()
    machine: Machine = replace(plain, software=replace(plain.software, opencl=("liba.so",)))
    request = Request((study.name,), study, LayoutOptions(devices=named), PRECISION, "", "")
    context = BuildContext({}, Path())
    found = devices.with_devices((request,), machine, context, print).devices
    assert found is not UNSET
    return tuple(one.name for one in found or ())


def test_without_a_name_it_is_the_first_with_double_precision_that_is_not_the_cpus(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert measured(monkeypatch, CPU, SINGLE, GPU) == ("cuda:0",)
    assert measured(monkeypatch, SINGLE, CPU) == ("opencl:0",)


def test_a_device_without_double_precision_is_refused_before_anything_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for there, named in (((CPU, SINGLE), ("opencl:0", "opencl:1")), ((SINGLE,), ())):
        with pytest.raises(MachineLacksError, match=r"opencl:1 \(Iris\) has no double precision"):
            measured(monkeypatch, *there, named=named)


@pytest.mark.parametrize("there", [(), (SINGLE,)])
def test_a_study_of_more_than_devices_goes_on_without_them(
    there: tuple[NamedDevice, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert measured(monkeypatch, *there, study=COMET) == ()
    with pytest.raises(MachineLacksError):
        measured(monkeypatch, *there)
    with pytest.raises((MachineLacksError, UsageError)):
        measured(monkeypatch, *there, named=("opencl:1",), study=COMET)


def test_a_device_is_named_by_what_no_other_has_too(monkeypatch: pytest.MonkeyPatch) -> None:
    assert measured(monkeypatch, CPU, GPU, named=("cuda:GPU-1", "cuda:0")) == ("cuda:0",)


def test_devices_are_not_looked_for_where_none_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert not devices.measures_devices(QUICK)
    assert devices.measures_devices(COMET_NETWORK)
    assert devices.measures_devices(DEVICE)
