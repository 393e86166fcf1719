"""In which widths a CPU has fused multiply-adds."""

from __future__ import annotations

import pytest

from machmeter.benchmarks.compute import WIDTHS
from machmeter.machine.vector_widths import vector_widths


@pytest.mark.parametrize(
    ("architecture", "features", "scalable_bits", "expected"),
    [
        ("x86_64", (), 0, ()),
        ("x86_64", ("avx",), 0, ()),
        ("x86_64", ("avx2", "fma"), 0, WIDTHS[:3]),
        ("x86_64", ("avx2", "avx512f", "fma"), 0, WIDTHS),
        ("aarch64", ("asimd", "sve"), 0, WIDTHS[:2]),
        ("aarch64", ("asimd",), 256, WIDTHS[:2]),
        ("aarch64", ("asimd", "sve"), 128, WIDTHS[:2]),
        ("aarch64", ("asimd", "sve"), 256, WIDTHS[:3]),
        ("aarch64", ("asimd", "sve"), 512, (*WIDTHS[:2], WIDTHS[3])),
        ("riscv64", ("rv64imafdc",), 0, ()),
    ],
)
def test_what_the_cpu_lacks_is_left_out_with_a_reason(
    architecture: str, features: tuple[str, ...], scalable_bits: int, expected: tuple[str, ...]
) -> None:
    widths, lacking = vector_widths(architecture, features, scalable_bits)
    assert widths == expected
    assert set(lacking) == set(WIDTHS) - set(expected)
    assert all(lacking.values())


def test_the_reason_names_the_extension() -> None:
    _, lacking = vector_widths("x86_64", ("fma",))
    assert lacking == {"512-bit": "this CPU has no avx512f"}
