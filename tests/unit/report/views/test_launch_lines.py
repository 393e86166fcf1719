"""How to start a program is advised only where layouts were compared with nothing set."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.launch.job_lines import lines_to_try
from machmeter.model.plan.launch import LaunchOutcome, Verdict
from machmeter.model.results.run import RunResult, TriedLines
from machmeter.report.documents.job_file import job_file
from machmeter.report.views.launch_lines import advised_lines, job_of
from tests.support.synthetic.explored import ALONE, NONE_SET, ONE_RANK, SET, make_explored

FASTER = "no layout is shown to be faster than nothing set"


def planned_as(whole: RunResult, counted: RunResult) -> RunResult:
    """A run that was planned as `whole` and in which only what `counted` has was counted."""
    return replace(counted, plan=whole.plan)


def test_where_nothing_set_is_as_fast_it_is_the_advice() -> None:
    job = job_of(make_explored({SET: 1.0, NONE_SET: 1.0, ALONE: 2.0}))
    assert FASTER in job.title
    assert job.lines


def test_without_a_counted_launch_of_nothing_set_nothing_is_advised_against_it() -> None:
    tied = {SET: 1.0, ONE_RANK: 1.0}
    job = job_of(planned_as(make_explored({**tied, NONE_SET: 1.0}), make_explored(tied)))
    assert not job.lines
    assert "launches of nothing set" in job.sentence
    assert FASTER not in job.title + job.sentence


def test_the_fastest_of_others_is_not_called_faster_than_nothing_set() -> None:
    others = {SET: 1.0, ONE_RANK: 2.0}
    job = job_of(planned_as(make_explored({**others, NONE_SET: 1.0}), make_explored(others)))
    assert job.lines
    assert "nothing set" in job.title
    assert FASTER not in job.title


def test_one_launch_of_nothing_set_compares_with_nothing() -> None:
    run = make_explored({SET: 1.0, NONE_SET: 1.0}, spread=0.5)
    first, second = run.estimates
    few = replace(run, estimates=(first, replace(second, launches=1)))
    assert job_of(run).lines
    assert not job_of(few).lines


def test_where_no_other_layout_fits_nothing_was_compared() -> None:
    job = job_of(make_explored({NONE_SET: 1.0}))
    assert not job.lines
    assert "no other layout" in job.sentence


def test_where_no_launch_of_another_layout_counts_nothing_was_compared() -> None:
    alone = make_explored({NONE_SET: 1.0})
    job = job_of(planned_as(make_explored({NONE_SET: 1.0, SET: 1.0}), alone))
    assert not job.lines
    assert "every layout other than nothing set" in job.sentence


def test_what_nobody_observed_is_compared_with_nothing() -> None:
    run = replace(make_explored({SET: 1.0, NONE_SET: 1.0}, spread=0.5), not_observed=(NONE_SET,))
    assert not job_of(run).lines


def test_the_answer_never_advises_nothing_set_where_it_was_not_compared() -> None:
    run = make_explored({SET: 1.0, ONE_RANK: 1.0}, spread=0.0001)
    (finding,) = run.findings
    assert "nothing set" not in finding.answer
    assert "set nothing" not in finding.answer


def started_by_mpich(run: RunResult) -> RunResult:
    """Every layout had a launch that counts, by one mpiexec."""
    command = ("/cache/wrapper", "--rank", "none", "--", "/opt/mpi/bin/mpiexec", "-n", "2")
    outcomes = tuple(
        LaunchOutcome(number, spec.name, Verdict.ACCEPTED, (), command, 0, "", 1.0)
        for number, spec in enumerate(run.plan.specs, 1)
    )
    return replace(run, outcomes=outcomes)


def test_a_line_says_whether_it_was_tried() -> None:
    run = started_by_mpich(make_explored({SET: 1.0, NONE_SET: 2.0}))
    found = advised_lines(run)
    assert found is not None
    lines = lines_to_try(found[1])
    assert lines, "the run used a launcher"

    def said(tried: TriedLines | None) -> list[str]:
        return [line.why for line in job_of(replace(run, tried=tried)).lines if line.why]

    assert any(one.endswith("not tried") for one in said(None))
    right = said(TriedLines(lines, ()))
    assert any(one.endswith("tried") and "not tried" not in one for one in right)
    elsewhere = said(TriedLines(lines, ("rank 0: 0 requested, 1 given",)))
    assert any(one.endswith("tried, and not so: rank 0: 0 requested, 1 given") for one in elsewhere)
    assert said(TriedLines(("./another",), ())) == said(None)
    of_step = said(TriedLines(lines_to_try(found[1], in_job=True), ()))
    assert [one.endswith("; tried") for one in of_step] == [
        line.in_job for line in found[1] if line.note
    ]


def test_a_script_has_the_folder_and_the_lines_of_the_launcher_that_was_used() -> None:
    run = started_by_mpich(make_explored({SET: 1.0, NONE_SET: 2.0}))
    found = advised_lines(run)
    assert found is not None
    shebang, *_, last = job_file(run).splitlines()
    assert shebang == "#!/bin/sh"
    assert last == lines_to_try(found[1])[-1]
    assert "#SBATCH" not in job_file(run)
    launch = found[0]
    command = launch.spec.command
    assert command is not None
    assert f"cd {command.folder} || exit" in job_file(run)


def test_in_a_job_the_script_is_of_the_batch_system() -> None:
    run = make_explored({SET: 1.0, NONE_SET: 2.0})
    options = replace(run.header.request.layout_options, hosts=("n1",), launcher="slurm")
    request = replace(run.header.request, layout_options=options)
    in_job = replace(run, header=replace(run.header, request=request))
    found = advised_lines(in_job)
    assert found is not None
    layout = found[0].spec.layout
    script = job_file(in_job)
    assert f"#SBATCH --ntasks-per-node={layout.ranks_per_node}" in script
    assert f"#SBATCH --cpus-per-task={layout.cpus_per_rank}" in script
    assert script.splitlines()[-1].startswith("srun ") is found[1][-1].in_job


def test_where_nothing_is_advised_there_is_no_script() -> None:
    assert job_file(make_explored({NONE_SET: 1.0})) == ""
