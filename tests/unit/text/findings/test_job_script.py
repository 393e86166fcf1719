from __future__ import annotations

from msgspec.structs import replace

from machmeter.model.plan.question import BestRule, BetterRule, Question, Selector
from machmeter.model.results.finding import AnswerStatus, CaseEvidence, Confidence, Finding
from machmeter.text.findings.job_script import job_script
from tests.support.synthetic.run import make_run

RUN = make_run()
DECIDED, OPEN = AnswerStatus.DECIDED, AnswerStatus.INCONCLUSIVE


def finding(
    question: str,
    *settings: str,
    status: AnswerStatus = DECIDED,
    confidence: Confidence = Confidence.SURE,
    setting: str = "triad",
) -> Finding:
    case = CaseEvidence("yes", status, confidence, settings=settings, setting=setting)
    return Finding(question, "yes", status, confidence, cases=(case,))


def asked(text: str, *settings: str) -> Question:
    rule = BetterRule(Selector(), Selector(), settings=settings)
    return Question(text, "threads.sync", "overhead", rule)


def test_what_gains_is_exported_once_and_another_value_is_a_comment() -> None:
    found = (
        finding("a", "OMP_PROC_BIND=close", "OMP_PLACES=cores"),
        finding("b", "OMP_PROC_BIND=spread", "OMP_PLACES=cores"),
        finding("c", "OMP_WAIT_POLICY=active", confidence=Confidence.LIKELY),
    )
    job = job_script(replace(RUN, findings=found))
    assert [line.command for line in job.lines] == [
        "export OMP_PROC_BIND=close",
        "export OMP_PLACES=cores",
        "# or OMP_PROC_BIND=spread",
        "export OMP_WAIT_POLICY=active",
    ]
    assert [line for line in job.lines if "likely" in line.why] == [job.lines[-1]]
    assert all(line.split("  # ")[0].strip() for line in job.text.splitlines())
    assert job.sentence == ""


def test_where_nothing_gains_it_says_what_was_tried_and_what_is_undecided() -> None:
    rule = BestRule(Selector(), ("allocator",), settings={"jemalloc": "LD_PRELOAD=libjemalloc.so"})
    allocators = replace(asked("which?"), rule=rule)
    questions = (asked("a", "OMP_WAIT_POLICY=active"), allocators)
    plan = replace(RUN.plan, questions=questions)
    both = (finding("a"), finding("which?"))
    fine = job_script(replace(RUN, findings=both, plan=plan))
    assert fine.lines == ()
    assert fine.sentence.startswith("The defaults are fine here")
    assert {"OMP_WAIT_POLICY", "LD_PRELOAD"} <= set(
        fine.sentence.replace(",", " ").rstrip(".").split()
    )
    half = job_script(
        replace(RUN, findings=(finding("a"), finding("which?", status=OPEN)), plan=plan)
    )
    assert half.sentence.endswith("undecided: LD_PRELOAD.")


def test_without_a_question_on_settings_nothing_is_said() -> None:
    plan = replace(RUN.plan, questions=(asked("a"),))
    assert job_script(replace(RUN, findings=(finding("a"),), plan=plan)).sentence == ""
