"""`machmeter machine`, `show machine` and `list machines` as a person or a program meets them."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.api.machine_files import link_of
from machmeter.model.errors import ExitCode, UsageError
from machmeter.published.load import machine_names
from machmeter.store.run_folder import RunFolder
from tests.support.cli_calls import call, document
from tests.support.importing_data import FOLDER as DATA

pytestmark = pytest.mark.usefixtures("home")


def imported(capfd: pytest.CaptureFixture[str], target: Path, *words: str) -> tuple[int, str, str]:
    return call(capfd, "machine", "import", *words, "-o", str(target))


def test_import_check_show_compare(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "mine.toml"
    files = [str(DATA / name) for name in ("tools/stream.txt", "tools/hpccoutf.txt")]
    code, out, _ = imported(capfd, target, *files, "--id", "mine", "--cores", "2", "--nodes", "1")
    assert code == ExitCode.DONE
    assert "(mine)" in out
    checked = document(capfd, "machine-check", "machine", "check", str(target))["files"][0]
    assert checked["valid"]
    assert checked["comparable"] == checked["figures"] > 20
    code, out, _ = call(capfd, "show", "machine", str(target))
    assert code == ExitCode.DONE
    assert "as printed" in out
    assert "imported machine" in out
    assert "published" not in out
    assert max(map(len, out.splitlines())) <= 100
    compared = document(capfd, "compare", "compare", str(target), str(DATA / "tools/stream.txt"))
    assert compared["comparisons"][0]["results"]


def test_a_false_label_is_told_and_flagged(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    output = tmp_path / "osu_latency_2nodes.txt"
    output.write_text("# OSU MPI Latency Test v7.4\n# Size  Avg Latency(us)\n8  0.31\n")
    code, out, err = imported(capfd, tmp_path / "m.toml", str(output))
    assert code == ExitCode.DONE
    assert "1 flagged" in out
    assert "ran inside one node" in err
    _, out, _ = call(capfd, "show", "machine", str(tmp_path / "m.toml"))
    assert "proves one node" in out


def test_a_program_gets_the_remarks(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ("machine", "import", str(DATA / "tools/reframe.json"), "-o", str(tmp_path / "r.toml"))
    assert any("things" in one for one in document(capfd, "machine-import", *words)["remarks"])
    again = document(capfd, "error", *words)
    assert again["exit_code"] == ExitCode.WRONG_USAGE


def test_a_file_that_is_none_is_told_and_counts(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text('format = 1\nid = "A b"\n')
    code, out, _ = call(capfd, "machine", "check", str(bad))
    assert code == ExitCode.WRONG_USAGE
    assert "bad.toml" in out
    assert "remedy" in out


@pytest.mark.parametrize("name", machine_names())
def test_every_published_machine_can_be_shown(capfd: pytest.CaptureFixture[str], name: str) -> None:
    code, out, _ = call(capfd, "show", "machine", name, "--all")
    assert code == ExitCode.DONE
    assert "published machine" in out
    assert max(map(len, out.splitlines())) <= 100


def test_a_published_machine_for_a_program(capfd: pytest.CaptureFixture[str]) -> None:
    found = document(capfd, "show-machine", "show", "machine", "uv1000")
    assert (found["origin"], found["counts"]["watts"]) == ("published", None)
    assert found["links"]
    figures = {one["id"]: one for one in (*found["figures"], *found["loose"])}
    for one in figures.values():
        assert (one["low"], one["high"], one["precision"]) == (None, None, None)
        assert one["printed"]
        assert one["page"]
    coverage = figures["trinity-coverage"]
    assert (coverage["printed"], coverage["qualifier"]) == ("50", "about")
    derived = figures["cores-per-node"]
    assert derived["known"] == "derived: cores-measured / nodes-measured"
    assert derived["decimals"] is None


def test_a_run_is_a_machine_too(capfd: pytest.CaptureFixture[str], one_run: RunFolder) -> None:
    assert document(capfd, "show-machine", "show", "machine", "last")["links"] == {}
    code, out, _ = call(capfd, "show", "machine", "last")
    assert code == ExitCode.DONE
    assert "measured machine" in out


def test_published_machines_are_listed(capfd: pytest.CaptureFixture[str]) -> None:
    found = document(capfd, "list", "list", "machines")
    listed = [one["id"] for one in (*found["published"], *found["today"])]
    assert listed == list(machine_names())
    code, out, _ = call(capfd, "list", "machines")
    assert code == ExitCode.DONE
    assert "show machine ID" in out
    assert max(map(len, out.splitlines())) <= 100


def test_a_word_after_a_run_is_wrong_usage(capfd: pytest.CaptureFixture[str]) -> None:
    assert call(capfd, "show", "last", "edison")[0] == ExitCode.WRONG_USAGE


@pytest.mark.parametrize(
    ("text", "value", "unit", "direction"),
    [("100 Gbit/s", 100.0, "Gbit/s", "one way"), ("12.5GB/s both ways", 12.5, "GB/s", "both ways")],
)
def test_rates_of_links(text: str, value: float, unit: str, direction: str) -> None:
    link = link_of(text)
    assert (link.value, link.unit, link.direction.value) == (value, unit, direction)


@pytest.mark.parametrize("text", ["100 Gbps", "fast", "-1 GB/s", "15 GB", "0 GB/s", "0.0 bit/s"])
def test_what_is_no_rate_of_a_link(text: str) -> None:
    with pytest.raises(UsageError, match="not the rate of a link"):
        link_of(text)


def own_machine(path: Path, value: str, *, count: int = 1, name: str = "mine") -> Path:
    """A machine's file of a workload with that value."""
    figures = "".join(f'[[tables.figures]]\nid = "f{i}"\nvalue = {value}\n' for i in range(count))
    path.write_text(
        f'format = 1\nid = "{path.stem}"\nname = "{name}"\nsummary = "s"\nsource = "s"\n'
        'year = 2020\n[[tables]]\npage = "p"\nunit = "us"\ndecimals = 2\nworkload = "w.a"\n'
        f'quantity = "q"\nbetter = "lower"\n{figures}'
    )
    return path


@pytest.mark.parametrize("value", ["1e308", "1e-308", "-1e300"])
def test_numbers_of_no_machine_are_refused(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, value: str
) -> None:
    file = own_machine(tmp_path / "big.toml", value)
    code, out, _ = call(capfd, "machine", "check", str(file))
    assert code == ExitCode.WRONG_USAGE
    problems = ("no time, rate or ratio", "no quantity of a computer", "more digits")
    assert any(problem in out for problem in problems)


def test_what_a_file_says_never_steers_the_terminal(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    evil = "\\u001b]0;pwn\\u0007evil"
    file = own_machine(tmp_path / "evil.toml", "1.0", name=evil)
    wrong = own_machine(tmp_path / "wrong.toml", "1.0")
    wrong.write_text(wrong.read_text().replace('"us"', f'"{evil}"'))
    code, out, err = call(capfd, "machine", "check", str(file), str(wrong))
    assert code == ExitCode.WRONG_USAGE
    target = tmp_path / "m.toml"
    words = (str(DATA / "tools/stream.txt"), "--name", "\x1b]0;pwn\x07evil")
    imported_code, said, told = imported(capfd, target, *words)
    assert imported_code == ExitCode.DONE
    assert "evil" in out
    assert "evil" in said
    assert not {"\x1b", "\x07"} & set(out + err + said + told)


@pytest.mark.parametrize(
    "words",
    [
        ("--cores", "9" * 23),
        ("--name", "n" * 1500),
        ("--name", "\udcff"),
        ("--link", "0 GB/s"),
        ("--used-nodes", "9" * 23),
    ],
)
def test_what_cannot_be_read_again_is_never_written(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...]
) -> None:
    target = tmp_path / "m.toml"
    code, _, err = imported(capfd, target, str(DATA / "tools/stream.txt"), *words)
    assert code in {ExitCode.WRONG_USAGE, ExitCode.SOMETHING_FAILED}
    assert "internal error" not in err
    assert not target.exists()


def test_a_title_that_begins_with_a_name_keeps_it(capfd: pytest.CaptureFixture[str]) -> None:
    _, out, _ = call(capfd, "show", "machine", str(DATA / "osu/osu_init.txt"))
    assert "network.startup: MPI_Init" in out


def test_the_list_says_which_machines_compare_with_a_run_on_one_node(
    capfd: pytest.CaptureFixture[str],
) -> None:
    published = document(capfd, "list", "list", "machines")["published"]
    counts = {one["id"]: one["comparable"] for one in published}
    assert counts["scalemp"] == 30
    assert counts["edison"] == 0
    assert all(one["comparable"] <= one["figures"] for one in published)


def test_a_figure_above_its_own_hardware_is_wrong_and_what_is_missing_is_not(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "mine.toml"
    text = (
        'format = 1\nid = "mine"\nname = "Mine"\nsummary = "s"\nsource = "s"\nyear = 2020\n'
        'hardware = { channels = 8, transfers = 3200 }\n[[tables]]\npage = "p"\nunit = "GB/s"\n'
        'decimals = 0\nbenchmark = "memory.stream"\nmetric = "stream_bandwidth"\n'
        'figures = [{ id = "triad", value = VALUE }]\n'
    )
    file.write_text(text.replace("VALUE", "200"))
    code, out, _ = call(capfd, "machine", "check", str(file))
    assert code == ExitCode.DONE
    assert out.count("triad") == 3
    (checked,) = document(capfd, "machine-check", "machine", "check", str(file))["files"]
    assert len(checked["missing"]) == 4
    file.write_text(text.replace("VALUE", "205"))
    code, out, _ = call(capfd, "machine", "check", str(file))
    assert code == ExitCode.WRONG_USAGE
    assert "remedy" in out
