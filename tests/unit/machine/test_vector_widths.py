"""In which widths a CPU has fused multiply-adds."""

from __future__ import annotations

import pytest

from machmeter.benchmarks.compute import FMA
from machmeter.machine.vector_widths import VECTOR_WIDTHS, vector_widths


def test_widths_are_those_that_the_benchmark_knows() -> None:
    (width,) = (p for p in FMA.parameters if p.name == "width")
    assert width.choices == VECTOR_WIDTHS


@pytest.mark.parametrize(
    ("architecture", "features", "expected"),
    [
        ("x86_64", (), ()),
        ("x86_64", ("avx",), ()),
        ("x86_64", ("avx2", "fma"), VECTOR_WIDTHS[:3]),
        ("x86_64", ("avx2", "avx512f", "fma"), VECTOR_WIDTHS),
        ("aarch64", ("asimd", "sve"), VECTOR_WIDTHS[:2]),
        ("riscv64", ("rv64imafdc",), ()),
    ],
)
def test_what_the_cpu_lacks_is_left_out_with_a_reason(
    architecture: str, features: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    widths, lacking = vector_widths(architecture, features)
    assert widths == expected
    assert set(lacking) == set(VECTOR_WIDTHS) - set(expected)
    assert all(lacking.values())


def test_the_reason_names_the_extension() -> None:
    _, lacking = vector_widths("x86_64", ("fma",))
    assert lacking == {"512-bit": "this CPU has no avx512f"}
