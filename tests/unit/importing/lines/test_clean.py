"""What launchers, logs, shells and editors do to the text of a tool."""

from __future__ import annotations

import html
import json
import os
import threading
from itertools import count
from pathlib import Path

import pytest

from machmeter.importing.lines.clean import decoded, plain_lines
from machmeter.importing.machine import id_of, import_files
from machmeter.importing.readings import Place, Reading
from machmeter.importing.text import LARGEST_FILE, read_text
from machmeter.model.errors import MachmeterError
from tests.support.importing_data import FOLDER, only, read_file, read_lines

LATENCY = (FOLDER / "field/05-warning-within-a-table/srun-in-table.txt").read_text()
LATENCY = "\n".join(line for line in LATENCY.split("\n") if not line.startswith("srun")) + "\n"
TAGS = sorted(path.name for path in (FOLDER / "field/16-tags-before-lines").glob("*.txt"))


def is_whole(reading: Reading) -> bool:
    sizes = {one.parameters["size"] for one in reading.results}
    return len(reading.results) == len(sizes) == 23 and only(
        reading.results, size=4194304
    ).values == (201.25,)


@pytest.mark.parametrize("name", TAGS)
def test_tags_before_lines_are_taken_off(name: str) -> None:
    reading = read_file(f"field/16-tags-before-lines/{name}")
    assert is_whole(reading)
    assert reading.remarks == ()


@pytest.mark.parametrize(
    "tag",
    [
        "0: ",
        " 0: ",
        "00: ",
        "12: ",
        "0:",
        "[1,0]<stdout>:",
        "[1,0]<stdout>: ",
        "[prterun-host-1@1,0]<stdout>: ",
        "Tue Mar 04 09:12:44 2025[1,0]<stdout>:",
        "[0] ",
        "[cn07:0] ",
        "cn07: ",
        "node-a.example.org: ",
        "[pod/osu-launcher-x7f2/osu] ",
        "osu-launcher-1  | ",
        "build\tRun osu\t2025-03-04T09:12:44.1234567Z ",
        "2025-03-04T09:12:44.123456Z 00O ",
        "[2025-03-04T09:12:44.123Z] ",
        "09:12:44  ",
        "[09:12:44] ",
        "[   12.345] ",
        "Mar 04 09:12:44 cn07 osu[1234]: ",
        "2025-03-04 09:12:44,123 - INFO - ",
        "2025-03-04 09:12:44.123 | ",
        "#12 0.345 ",
        "job.log:",
        "> ",
        ">> ",
        "> > ",
        ">",
        "| ",
        "+",
        "    ",
        "\t",
        "    1: ",
    ],
)
def test_every_kind_of_tag(tag: str) -> None:
    assert is_whole(read_lines("".join(f"{tag}{line}\n" for line in LATENCY.splitlines())))
    for name in ("imb/imb_mpi1.txt", "tools/stream.txt", "tools/epcc_syncbench.txt"):
        text = (FOLDER / name).read_text()
        tagged = "\n".join(f"{tag}{line}".rstrip() for line in text.splitlines())
        assert read_lines(tagged).results == read_lines(text).results


def test_times_and_ranks_that_change_from_line_to_line() -> None:
    numbers = count(9)
    timed = "\n".join(f"[{next(numbers):8.3f}] {line}" for line in LATENCY.splitlines())
    assert is_whole(read_lines(timed))
    numbered = "\n".join(f"{n:6}\t{line}" for n, line in enumerate(LATENCY.splitlines(), 1))
    assert is_whole(read_lines(numbered))
    lines = [f"0: {line}" for line in LATENCY.splitlines()]
    lines.insert(9, "1: srun: warning: something of another rank")
    reading = read_lines("\n".join(lines))
    assert is_whole(reading)
    assert "'srun: warning" in reading.remarks[0]


def test_a_launch_line_before_which_there_is_a_tag_counts() -> None:
    text = "".join(
        f"12: {line}\n" for line in ("srun -N 2 -n 2 ./osu_latency", *LATENCY.split("\n"))
    )
    assert only(read_lines(text).results, size=8).layout == {"nodes": 2, "ranks_per_node": 1}


def test_lines_of_gitlab_that_go_on_are_one() -> None:
    numbers = count(100_000)

    def tagged(text: str, kind: str) -> str:
        return f"2024-05-01T12:00:00.{next(numbers)}Z {kind}{text}\n"

    lines = []
    for line in LATENCY.splitlines():
        if line.startswith("4194304"):
            # The runner had read a part of the line when it wrote.
            at = line.index(".") - 1
            lines += [tagged(line[:at], "01O "), tagged("UCX  WARN  of another stream", "01E ")]
            lines += [tagged(line[at:-1], "01O+"), tagged(line[-1:], "01O+")]
        else:
            lines.append(tagged(line, "01O "))
    reading = read_lines("".join(lines))
    assert is_whole(reading)
    with_first = tagged("of a line that is not here", "00O+")
    assert plain_lines(with_first + "a\n") == ["of a line that is not here", "a", ""]


@pytest.mark.parametrize("quote", [True, False])
@pytest.mark.parametrize("name", ["osu/osu_latency.txt", "tools/google_benchmark.json"])
def test_text_that_is_escaped_as_in_html(name: str, quote: bool) -> None:
    text = (FOLDER / name).read_text().replace('"name": "', '"name": "<int>')
    tagged = "".join(f"[1,0]<stdout>:{line}\n" for line in text.splitlines())
    for whole in (text, tagged):
        escaped = html.escape(whole, quote=quote)
        assert read_lines(escaped).results == read_lines(whole).results
    assert read_lines(html.escape(tagged)).results == read_lines(text).results


def test_entities_of_a_text_that_is_not_escaped_stay() -> None:
    for text in ('{"name": "BM_a<b>&lt;&quot;"}', "a < b &gt; c", '{"name": "a&quot;b"}'):
        assert plain_lines(text) == [text]


REPORT = """<?xml version="1.0" encoding="UTF-8"?>
<testsuite tests="2">
  <testcase name="latency" time="1.0">
    <system-out>{}</system-out>
    <system-err>{}</system-err>
  </testcase>
</testsuite>
"""


@pytest.mark.parametrize("name", ["osu/osu_latency.txt", "tools/stream.txt", "tools/reframe.json"])
def test_output_in_a_report_of_junit(name: str) -> None:
    text = (FOLDER / name).read_text().strip()
    values = [one.values for one in read_lines(f"{text}\n").results]
    for literal, other in ((f"<![CDATA[{text}]]>", "<![CDATA[a]]>"), (html.escape(text), "")):
        for report in (REPORT, REPORT.replace("\n", "").replace("  ", "")):
            whole = report.format(literal, other)
            assert [one.values for one in read_lines(whole).results] == values
    cut = REPORT.partition("</system-out>")[0].format(f"<![CDATA[{text}")
    assert [one.values for one in read_lines(cut).results] == values


def test_lines_of_a_report_keep_their_numbers() -> None:
    lines = plain_lines(REPORT.format("<![CDATA[one]]]]><![CDATA[>\ntwo]]>", "three &amp; four"))
    assert lines == ["", "", "", "one]]>", "two", "three & four", "", "", ""]


def test_what_is_no_tag_stays() -> None:
    for text in (
        LATENCY,
        "The output of # OSU MPI Latency Test v7.4\nis here,\nand there\n",
        '{\n "context": {\n  "a": {\n   "b": {\n   }\n  }\n }\n}',
        "a 1: # OSU MPI Latency Test v7.4\nnothing like it\nnor this\n",
    ):
        assert plain_lines(text) == text.split("\n")


@pytest.mark.parametrize("end", ["\r", "\r\n", "\r\r\n", "\n"])
@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
def test_encodings_and_ends_of_lines(end: str, encoding: str, tmp_path: Path) -> None:
    file = tmp_path / "out.txt"
    file.write_bytes(LATENCY.replace("\n", end).encode(encoding))
    machine, remarks = import_files([file], place=Place(nodes=2))
    assert sum(len(table.figures) for table in machine.tables) == 23
    assert remarks == ()


def test_utf_16_of_powershell() -> None:
    assert is_whole(read_file("field/19-utf16/utf16.txt"))


def test_binary_data_are_no_text() -> None:
    assert decoded(b"# OSU\0\0\0\0") is None
    assert decoded(bytes(range(256)) * 4) is None
    assert decoded(b"a\0\0\0b\0\0\0" * 9) is None


@pytest.mark.parametrize(
    "colored",
    [
        "\x1b[32m{}\x1b[0m",
        "^[[32m{}^[[0m",
        "\x1b[1;38;5;12m{}\x1b[m",
        "\x1b]0;title\x07{}",
        "\x1b(B{}\x1b[K",
    ],
)
def test_colors_are_taken_off(colored: str) -> None:
    assert is_whole(read_lines("\n".join(colored.format(line) for line in LATENCY.split("\n"))))


@pytest.mark.parametrize("name", ["gb-noise.json", "gb-noise-after.json", "gb-bom.json"])
def test_lines_around_json(name: str) -> None:
    reading = read_file(f"field/20-json-with-lines-around/{name}")
    assert [one.values[0] for one in reading.results] == [12.5, 22.5, 5.1e9]


def test_json_with_tags_before_its_lines() -> None:
    text = (FOLDER / "field/20-json-with-lines-around/gb-noise.json").read_text()
    for tag in ("0: ", "[1,0]<stdout>:", "2025-03-04T09:12:44.1234567Z ", "    "):
        tagged = "\n".join(tag + line for line in text.split("\n"))
        assert len(read_lines(tagged).results) == 3


def test_several_documents_in_one_file() -> None:
    text = (FOLDER / "tools/google_benchmark.json").read_text()
    hyperfine = (FOLDER / "tools/hyperfine.json").read_text()
    once = read_lines(text)
    both = read_lines(
        f"first\n{text}\nsecond\n{json.dumps(json.loads(text))}\n{hyperfine}\n{LATENCY}"
    )
    assert len(both.results) == 2 * len(once.results) + len(read_lines(hyperfine).results) + 23


def test_a_broken_document_below_other_lines_is_located() -> None:
    text = (FOLDER / "field/20-json-with-lines-around/gb-noise.json").read_text()
    with pytest.raises(MachmeterError, match=r"no JSON document: line \d\d, column"):
        read_lines(text[:700])


def test_many_lines_that_open_no_document_are_bounded() -> None:
    with pytest.raises(MachmeterError, match="no JSON document"):
        read_lines('{"a": [\n' * 50_000)


def test_a_pipe_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, Path("-")):
        writer = threading.Thread(target=pipe.write_text, args=(LATENCY,))
        writer.start()
        if path != pipe:
            reader = os.open(pipe, os.O_RDONLY)
            kept = os.dup(0)
            os.dup2(reader, 0)
        machine, _ = import_files([path])
        writer.join()
        assert sum(len(table.figures) for table in machine.tables) == 23
    os.dup2(kept, 0)
    os.close(kept)
    os.close(reader)
    assert machine.name == "standard input"
    assert machine.id == "imported"


def test_a_pipe_without_an_end_is_bounded(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write() -> None:
        try:
            pipe.write_bytes(b"x" * (LARGEST_FILE + 2**20))
        except BrokenPipeError:
            return

    writer = threading.Thread(target=write)
    writer.start()
    with pytest.raises(MachmeterError, match="larger than 16 MiB"):
        read_text(pipe)
    writer.join()


def test_a_pipe_has_no_name() -> None:
    assert id_of(Path("/dev/fd/63")) == id_of(Path("-")) == id_of(Path("/dev/stdin")) == "imported"


def test_a_device_is_refused() -> None:
    with pytest.raises(MachmeterError, match="no regular file"):
        read_text(Path("/dev/zero"))
