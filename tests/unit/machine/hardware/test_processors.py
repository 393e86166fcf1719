"""What processors can at most, beside what others print of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.machine.hardware.processors import known_processor
from machmeter.machine.software import cpu_model

# README.md of ProjectPhysX/FluidX3D at 8986874e626e, lines 1358 to 1386: sockets, model, memory
# bandwidth in GB/s as specified.
PRINTED = (
    (2, "AMD EPYC 9754 128-Core Processor", 922),
    (2, "AMD EPYC 9654 96-Core Processor", 922),
    (2, "AMD EPYC 9555 64-Core Processor", 1229),
    (2, "AMD EPYC 9554 64-Core Processor", 922),
    (2, "AMD EPYC 7713 64-Core Processor", 410),
    (2, "AMD EPYC 7352 24-Core Processor", 410),
    (2, "AMD EPYC 7313 16-Core Processor", 410),
    (2, "AMD EPYC 7302 16-Core Processor", 410),
    (2, "Intel(R) Xeon(R) 6980P", 1690),
    (2, "Intel(R) Xeon(R) 6979P", 1690),
    (2, "INTEL(R) XEON(R) PLATINUM 8592+", 717),
    (2, "Intel(R) Xeon(R) CPU Max 9480", 614),
    (2, "Intel(R) Xeon(R) Platinum 8480+", 614),
    (2, "Intel(R) Xeon(R) Platinum 8470", 614),
    (2, "Intel(R) Xeon(R) Gold 6438Y+", 614),
    (2, "Intel(R) Xeon(R) Platinum 8380 CPU @ 2.30GHz", 410),
    (2, "Intel(R) Xeon(R) Platinum 8358 CPU @ 2.60GHz", 410),
    (2, "Intel(R) Xeon(R) Platinum 8256 CPU @ 3.80GHz", 282),
    (2, "Intel(R) Xeon(R) Platinum 8153 CPU @ 2.00GHz", 256),
    (2, "Intel(R) Xeon(R) Gold 6248R CPU @ 3.00GHz", 282),
    (2, "Intel(R) Xeon(R) Gold 6128 CPU @ 3.40GHz", 256),
    (2, "Intel(R) Xeon(R) CPU E5-2680 v3 @ 2.50GHz", 137),
)
# Models that take slower memory than the fastest of their generation, or have fewer channels.
LESS = (
    (2, "Intel(R) Xeon(R) 6960P", 1229),
    (2, "Intel(R) Xeon(R) Gold 6548N", 666),
    (4, "Intel(R) Xeon(R) CPU E5-4620 v4 @ 2.10GHz", 273),
    (2, "Intel(R) Xeon(R) CPU E5-2630 v4 @ 2.20GHz", 137),
    (1, "AMD EPYC 9124 16-Core Processor", 307),
)


def gigabytes(sockets: int, model: str) -> float:
    found = known_processor(model)
    assert found is not None
    return sockets * found.channels * found.transfers * 8 / 1e9


@pytest.mark.parametrize(("sockets", "model", "printed"), PRINTED)
def test_bandwidths_are_those_that_are_printed(sockets: int, model: str, printed: int) -> None:
    assert gigabytes(sockets, model) == pytest.approx(printed, abs=0.5)


@pytest.mark.parametrize(("sockets", "model", "printed"), LESS)
def test_no_limit_is_below_what_a_model_has(sockets: int, model: str, printed: int) -> None:
    assert gigabytes(sockets, model) > printed


@pytest.mark.parametrize(
    ("model", "generation"),
    [
        ("AMD EPYC 7V73X 64-Core Processor", "Zen 3"),
        ("AMD EPYC 7R13 Processor", "Zen 3"),
        ("Intel(R) Xeon(R) Platinum 8275CL CPU @ 3.00GHz", "Cascade Lake"),
        ("Intel(R) Xeon(R) Platinum 8124M CPU @ 3.00GHz", "Skylake-SP"),
        ("implementer 0x41 part 0xd0c", "Neoverse N1"),
        ("Some Board (implementer 0x41 part 0xd4f)", "Neoverse V2"),
        ("implementer 0x46 part 0x001", "A64FX"),
        ("Intel(R) Xeon(R) Platinum 8380H CPU @ 2.90GHz", "Cooper Lake"),
        ("Intel(R) Xeon(R) Platinum 8380 CPU @ 2.30GHz", "Ice Lake"),
        ("Intel(R) Xeon(R) Silver 4110 CPU @ 2.10GHz", "Skylake-SP"),
        ("Intel(R) Xeon(R) CPU E5-2690 v4 @ 2.60GHz", "Broadwell"),
    ],
)
def test_models_have_their_generation(model: str, generation: str) -> None:
    found = known_processor(model)
    assert found is not None
    assert found.generation == generation


@pytest.mark.parametrize(
    "model",
    [
        "",
        "AMD EPYC",
        "Intel(R) Xeon(R) 6369P",
        "Intel(R) Xeon(R) CPU 5160 @ 3.00GHz",
        "unknown",
        "Intel(R) Xeon(R) Processor @ 2.00GHz",
        "AMD EPYC 9V33X",
        "Xeon" * 9999,
    ],
)
def test_what_is_not_known_has_no_limit(model: str) -> None:
    assert known_processor(model) is None


def test_models_with_one_unit_or_two_have_no_operations_in_common() -> None:
    names = ("Gold 6248 CPU", "Gold 5218 CPU", "Silver 4110 CPU", "Platinum 8280 CPU")
    found = [known_processor(f"Intel(R) Xeon(R) {name} @ 2.30GHz") for name in names]
    assert [one and one.operations for one in found] == [32, 0, 0, 32]


def test_arm_is_known_by_what_its_system_writes() -> None:
    cpuinfo = {"CPU implementer": "0x41", "CPU part": "0xd40"}
    found = known_processor(cpu_model(cpuinfo, Path("/nowhere")))
    assert found is not None
    assert (found.generation, found.channels) == ("Neoverse V1", 8)


@pytest.mark.parametrize(
    ("files", "model", "clock"),
    [
        (
            {"cpufreq/base_frequency": "2000000", "acpi_cppc/nominal_freq": "9"},
            "Platinum 8380",
            2e9,
        ),
        ({"acpi_cppc/nominal_freq": "2450"}, "Platinum 8380", 2.45e9),
        ({"acpi_cppc/nominal_freq": "0"}, "Platinum 8380 CPU @ 2.30GHz", 2.3e9),
        ({}, "Platinum 8380", 0.0),
    ],
)
def test_the_nominal_clock_is_that_of_the_system_or_of_the_name(
    files: dict[str, str], model: str, clock: float, tmp_path: Path
) -> None:
    for name, text in files.items():
        place = tmp_path / "sys/devices/system/cpu/cpu0" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"{text}\n")
    found = known_processor(f"Intel(R) Xeon(R) {model}", tmp_path)
    assert found is not None
    assert found.nominal_clock == pytest.approx(clock)
