from __future__ import annotations

from msgspec.structs import replace

from machmeter.model.plan.question import BestRule, BetterRule, Question, Selector
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
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
        "# export OMP_WAIT_POLICY=active",
    ]
    assert [line for line in job.lines if "likely" in line.why] == [job.lines[-1]]
    assert all(line.split("  # ")[0].strip() for line in job.text.splitlines())
    assert job.sentence == ""


def ratio(value: float) -> Comparison:
    ends = (value * 0.99, value * 1.01)
    verdict = ComparisonVerdict.FASTER if value > 1 else ComparisonVerdict.SLOWER
    return Comparison(value, *ends, True, 9.0, 1e-6, verdict)


def test_the_value_that_gains_most_is_set_and_one_that_also_loses_is_a_comment() -> None:
    def case(value: float, *settings: str) -> CaseEvidence:
        return CaseEvidence(
            "", DECIDED, Confidence.SURE, settings=settings, comparison=ratio(value), setting="x"
        )

    allocators = Finding("a", "", DECIDED, cases=(case(1.1, "P=one"), case(2.0, "P=two")))
    bound = Finding("b", "", DECIDED, cases=(case(1.3, "BIND=close"), case(0.7)))
    plan = replace(RUN.plan, questions=(asked("b", "BIND=close"),))
    job = job_script(replace(RUN, findings=(allocators, bound), plan=plan))
    assert [line.command for line in job.lines] == [
        "export P=two",
        "# export BIND=close",
        "# or P=one",
    ]
    assert "0.70x" in job.lines[1].why


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
    partly = finding("which?")
    partly = replace(partly, cases=(*partly.cases, replace(partly.cases[0], status=OPEN)))
    some = job_script(replace(RUN, findings=(finding("a"), partly), plan=plan))
    assert some.sentence.endswith("undecided: LD_PRELOAD.")


def test_without_a_question_on_settings_nothing_is_said() -> None:
    plan = replace(RUN.plan, questions=(asked("a"),))
    assert job_script(replace(RUN, findings=(finding("a"),), plan=plan)).sentence == ""
