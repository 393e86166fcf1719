"""Classes of nodes, as `sinfo` describes them."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from machmeter.launch.batch.classes import NodeClass, node_classes
from tests.support.processes.native_programs import executable


def said(folder: Path, *lines: str) -> dict[str, str]:
    """An environment whose sinfo says these lines."""
    text = shlex.quote("\n".join(lines))
    executable(folder / "sinfo", f"printf '%s\\n' {text}")
    return {"PATH": f"{folder}:/usr/bin:/bin"}


def test_nodes_that_are_described_alike_are_one_class(tmp_path: Path) -> None:
    here = said(
        tmp_path,
        "cpu*|alloc|n[1-3]|64|2:32:1|(null)|(null)",
        "cpu*|idle|n7|64|2:32:1|(null)|(null)",
        "cpu*|drain*|n[4-6]|64|2:32:1|(null)|(null)",
    )
    assert node_classes(["cpu"], here) == (
        NodeClass("64 CPUs (2:32:1)", "n[1-3],n7,n[4-6]", ("n1", "n2", "n3", "n7")),
    )


@pytest.mark.parametrize(
    "other",
    [
        "32|2:32:1|(null)|(null)",
        "64|1:64:1|(null)|(null)",
        "64|2:32:1|gpu:a100:4(S:0-1)|(null)",
        "64|2:32:1|(null)|avx512,icelake",
    ],
)
def test_nodes_that_are_described_otherwise_are_another_class(other: str, tmp_path: Path) -> None:
    here = said(tmp_path, "cpu*|idle|n1|64|2:32:1|(null)|(null)", f"cpu*|mix|n2|{other}")
    assert [one.up for one in node_classes(["cpu"], here)] == [("n1",), ("n2",)]


@pytest.mark.parametrize(
    ("state", "is_up"),
    [
        *((one, True) for one in ("idle", "alloc", "mix-", "comp", "resv", "idle~", "plnd")),
        *((one, False) for one in ("idle*", "down", "drain", "drng", "maint", "fail", "unk", "")),
    ],
)
def test_a_job_waits_for_no_node_that_takes_none(state: str, is_up: bool, tmp_path: Path) -> None:
    (found,) = node_classes(["cpu"], said(tmp_path, f"cpu*|{state}|n1|64|2:32:1|(null)|(null)"))
    assert (found.nodes, found.up) == ("n1", ("n1",) if is_up else ())


def test_nodes_of_other_partitions_and_excluded_ones_do_not_count(tmp_path: Path) -> None:
    here = said(
        tmp_path,
        "cpu*|idle|n[1-2]|64|2:32:1|(null)|(null)",
        "big|idle|n[1-2]|64|2:32:1|(null)|(null)",
        "big|idle|n3|64|2:32:1|(null)|fat",
        "gpu|idle|g1|64|2:32:1|gpu:4|(null)",
    )
    ordinary, fat = node_classes(["cpu", "big"], here, "n[2-3],n9")
    assert (ordinary.nodes, ordinary.up, fat.nodes, fat.up) == ("n[1-2]", ("n1",), "n3", ())


def test_features_that_name_racks_make_no_classes(tmp_path: Path) -> None:
    racks = (f"cpu*|idle|n{one}|64|2:32:1|(null)|rack{one}" for one in range(40))
    found = node_classes(["cpu"], said(tmp_path, *racks, "cpu*|idle|m1|128|2:64:1|(null)|rack40"))
    assert [(one.text, len(one.up)) for one in found] == [
        ("64 CPUs (2:32:1)", 40),
        ("128 CPUs (2:64:1)", 1),
    ]


@pytest.mark.parametrize("feature", ['<b>"x', "a'b", "a|b", "a b", "\x1b[31m", "é", "[1-9]"])
def test_a_feature_is_only_text(feature: str, tmp_path: Path) -> None:
    lines = (f"cpu*|idle|n{one}|2|1:2:1|(null)|{word}" for one, word in ((1, feature), (2, "new")))
    one, two = node_classes(["cpu"], said(tmp_path, *lines))
    assert (one.nodes, one.up, two.nodes) == ("n1", ("n1",), "n2")
    assert feature.strip() in one.text


@pytest.mark.parametrize("lines", [(), ("",), ("sinfo: error",), ("cpu*|idle|n1",), ("|||||",)])
def test_what_says_nothing_of_nodes_makes_no_classes(
    lines: tuple[str, ...], tmp_path: Path
) -> None:
    assert node_classes(["cpu"], said(tmp_path, *lines)) == ()


def test_a_slurm_that_does_not_answer_has_no_classes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    executable(tmp_path / "sinfo", "echo 'cpu*|idle|n1|2|1:2:1||'; exit 1")
    here = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    assert node_classes(["cpu"], here) == ()
    monkeypatch.setattr("machmeter.launch.batch.classes._PATIENCE_SECONDS", 0.05)
    executable(tmp_path / "sinfo", "exec sleep 60")
    assert node_classes(["cpu"], here) == ()


def test_absurd_numbers_of_nodes_are_not_listed(tmp_path: Path) -> None:
    absurd = said(tmp_path, "cpu*|idle|n[1-999999999]|2|1:2:1|(null)|(null)")
    (found,) = node_classes(["cpu"], absurd)
    assert len(found.up) == 65_536
    unlike = (f"cpu*|idle|n[1-999999999]|{one}|1:2:1|(null)|(null)" for one in range(300))
    assert sum(len(one.up) for one in node_classes(["cpu"], said(tmp_path, *unlike))) == 65_536
