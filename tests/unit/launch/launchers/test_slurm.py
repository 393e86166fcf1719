"""The hosts of a Slurm job, as its own command tells them, and what its steps are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.launch import process
from machmeter.launch.launchers import slurm
from machmeter.launch.launchers.slurm import Slurm
from machmeter.model.errors import MachineLacksError

JOB = {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n[1-2]"}


def environment(folder: Path, script: str, command: str = "scontrol") -> dict[str, str]:
    """A job, and a command of Slurm that answers in its way."""
    path = folder / command
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return JOB | {"PATH": f"{folder}:/usr/bin:/bin"}


def test_hosts_are_those_that_scontrol_tells_in_its_order(tmp_path: Path) -> None:
    script = '[ "$*" = "show hostnames n[1-2]" ] && printf "n2\\nn1\\n"'
    assert Slurm().allocation(environment(tmp_path, script)) == ("n2", "n1")


@pytest.mark.parametrize("missing", list(JOB))
def test_without_a_job_the_remedy_is_told(missing: str) -> None:
    outside = {name: value for name, value in JOB.items() if name != missing}
    with pytest.raises(MachineLacksError, match="no Slurm job around") as told:
        Slurm().allocation(outside)
    assert "salloc" in told.value.remedy


@pytest.mark.parametrize(
    "script", ["exit 1", "true", "echo '-oProxyCommand=x'", "echo 'a;b'", "head -c 300 /dev/zero"]
)
def test_an_answer_that_names_no_hosts_is_told(script: str, tmp_path: Path) -> None:
    with pytest.raises(MachineLacksError, match="scontrol"):
        Slurm().allocation(environment(tmp_path, script))


def test_a_job_of_several_parts_is_refused(tmp_path: Path) -> None:
    parts = environment(tmp_path, "echo n1") | {"SLURM_HET_SIZE": "2"}
    with pytest.raises(MachineLacksError, match="heterogeneous"):
        Slurm().allocation(parts)


def test_the_list_of_nodes_counts_where_their_number_contradicts_it(tmp_path: Path) -> None:
    more = environment(tmp_path, "printf 'n1\\nn2\\n'") | {"SLURM_JOB_NUM_NODES": "7"}
    assert Slurm().allocation({**more, "SLURM_NODELIST": "n9", "SLURM_NNODES": "1"}) == ("n1", "n2")
    assert Slurm().allocation(environment(tmp_path, "echo n1")) == ("n1",)


def test_hosts_that_do_not_see_a_file_are_those_that_a_step_names(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    # As a step of two tasks does.
    step = "while [ $1 != sh ]; do shift; done; for SLURMD_NODENAME in n1 n2; do export "
    slurm = environment(tmp_path, f'{step}SLURMD_NODENAME; "$@"; done', "srun")
    assert Slurm().hosts_without(seen, ("n1", "n2"), slurm) == ("n1", "n2")
    seen.touch()
    assert Slurm().hosts_without(seen, ("n1", "n2"), slurm) == ()
    assert Slurm().hosts_without(seen, ("n1",), environment(tmp_path, "exit 1", "srun")) == ()


def test_a_machine_without_scontrol_is_told(tmp_path: Path) -> None:
    with pytest.raises(MachineLacksError, match="scontrol"):
        Slurm().allocation(JOB | {"PATH": str(tmp_path)})


# Of a step on one CPU of the first of two nodes, under Slurm 22.05, shortened.
IN_A_STEP = {
    **{"SLURM_JOB_NUM_NODES": "2", "SLURM_JOB_CPUS_PER_NODE": "8(x2)", "SLURM_CONF": "/etc/s.conf"},
    **{"SLURM_NODELIST": "n1", "SLURM_NNODES": "1", "SLURM_TASKS_PER_NODE": "1"},
    **{"SLURM_CPU_BIND": "quiet,mask_cpu:0x1", "SLURM_CPU_BIND_LIST": "0x1", "SLURM_NTASKS": "1"},
    **{"SLURM_STEP_NODELIST": "n1", "SLURM_CPUS_PER_TASK": "1", "SRUN_CPUS_PER_TASK": "1"},
}


def test_a_step_gets_the_whole_job_and_not_what_surrounds_us() -> None:
    told = Slurm().environment(JOB | IN_A_STEP | {"PATH": "/bin"})
    assert told == {
        **JOB,
        **{"SLURM_JOB_NUM_NODES": "2", "SLURM_JOB_CPUS_PER_NODE": "8(x2)"},
        **{"SLURM_NODELIST": "n[1-2]", "SLURM_NNODES": "2", "SLURM_TASKS_PER_NODE": "8(x2)"},
        **{"SLURM_CONF": "/etc/s.conf", "SLURM_CPU_BIND": "none"},
        **{"SLURM_OVERLAP": "1", "SLURM_WHOLE": "1"},
    }


@pytest.mark.parametrize(
    "name",
    [
        *("SLURM_EXACT", "SLURM_EXCLUSIVE", "SLURM_HINT", "SLURM_EXPORT_ENV", "SLURM_MEM_PER_CPU"),
        *(
            "SLURM_THREADS_PER_CORE",
            "SLURM_MEM_BIND",
            "SLURM_DISTRIBUTION",
            "SLURM_NTASKS_PER_NODE",
        ),
    ],
)
def test_what_would_make_steps_smaller_is_not_handed_on(name: str) -> None:
    assert name not in Slurm().environment(JOB | {name: "1"})


@pytest.mark.parametrize(
    "name", ["SLURM_JWT", "SLURM_NETWORK", "SLURM_CONF_SERVER", "SLURM_WORKING_CLUSTER"]
)
def test_the_way_to_slurm_is_kept(name: str) -> None:
    assert Slurm().environment(JOB | {name: "x"})[name] == "x"


@pytest.fixture
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The steps that these tests make up never go."""
    monkeypatch.setattr(slurm, "_MOST_SECONDS", 2.0)


def ended_steps(folder: Path, squeue: str) -> list[str]:
    """What scancel is asked for when a command outlives its time, and squeue answers so."""
    ended = folder / "ended"
    environment(folder, f'echo "$*" >> "{ended}"', "scancel")
    answers = environment(folder, f"{squeue}; true", "squeue")
    result = Slurm().run(("sleep", "60"), answers, 0.2)
    assert result.timed_out
    return sorted(set(ended.read_text().splitlines())) if ended.exists() else []


@pytest.mark.usefixtures("_patient")
def test_steps_are_those_with_numbers(tmp_path: Path) -> None:
    begun = f'[ -e "{tmp_path}/begun" ]'
    steps = 'printf "7.0\\n7.12\\n7.batch\\n7.extern\\n"'
    squeue = f'{begun} && [ "$4" = --jobs=7 ] && {steps}; touch "{tmp_path}/begun"'
    assert ended_steps(tmp_path, squeue) == ["--signal=KILL 7.0", "--signal=KILL 7.12"]


@pytest.mark.usefixtures("_patient")
def test_a_step_that_begins_late_is_ended_too_and_known_ones_stay(tmp_path: Path) -> None:
    later = f'echo x >> "{tmp_path}/calls"; [ $(wc -l < "{tmp_path}/calls") -gt 3 ] && echo 7.1'
    assert ended_steps(tmp_path, f"echo 7.0; {later}") == ["--signal=KILL 7.1"]


def test_a_step_that_begins_while_another_takes_long_to_end_is_ended_too(tmp_path: Path) -> None:
    first = f'[ -s "{tmp_path}/ended" ] || date +%s >> "{tmp_path}/start"'
    passed = f'$(($(date +%s) - $(head -n 1 "{tmp_path}/start")))'
    steps = f"[ {passed} -le 2 ] && echo 7.1; [ {passed} -eq 3 ] && echo 7.2"
    begun = f'[ -e "{tmp_path}/begun" ] || {{ touch "{tmp_path}/begun"; exit; }}'
    assert ended_steps(tmp_path, f"{begun}; {first}; {steps}") == [
        "--signal=KILL 7.1",
        "--signal=KILL 7.2",
    ]


def test_steps_are_looked_for_until_slurm_answers(tmp_path: Path) -> None:
    calls = f'echo x >> "{tmp_path}/calls"; calls=$(wc -l < "{tmp_path}/calls")'
    fails = "[ $calls -gt 1 ] && [ $calls -lt 15 ] && exit 1"
    assert ended_steps(tmp_path, f"{calls}; {fails}; [ $calls -eq 16 ] && echo 7.1") == [
        "--signal=KILL 7.1"
    ]


def test_no_steps_are_ended_where_those_before_are_not_known(tmp_path: Path) -> None:
    begun = f'[ -e "{tmp_path}/begun" ] && echo 7.1 || {{ touch "{tmp_path}/begun"; exit 1; }}'
    assert ended_steps(tmp_path, begun) == []


@pytest.mark.usefixtures("_patient")
def test_steps_of_a_program_that_printed_too_much_are_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "MOST_OUTPUT", 1000)
    environment(tmp_path, f'echo "$*" >> "{tmp_path}/ended"', "scancel")
    begun = f'[ -e "{tmp_path}/begun" ] && echo 7.1; touch "{tmp_path}/begun"'
    words = ("sh", "-c", "while echo and so on; do true; done")
    result = Slurm().run(words, environment(tmp_path, begun, "squeue"), 30.0)
    assert result.wrote_too_much
    assert "7.1" in (tmp_path / "ended").read_text()


def test_steps_of_a_launch_that_ended_by_itself_are_left_alone(tmp_path: Path) -> None:
    asked = environment(tmp_path, f'echo 7.1 >> "{tmp_path}/asked"; echo 7.1', "squeue")
    assert Slurm().run(("true",), asked, 5.0).exit_code == 0
    assert (tmp_path / "asked").read_text().count("7.1") == 1
