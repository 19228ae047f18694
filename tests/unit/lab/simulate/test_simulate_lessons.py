"""Lessons held by the labels of a recorded web."""

from __future__ import annotations

from pathlib import Path

import pytest

from focuscrawl.errors import ConfigError
from focuscrawl.lab.simulate.cases import Case, CaseSettings, Laboratory
from focuscrawl.lab.simulate.generator import generate_webs
from focuscrawl.lab.simulate.lessons import LessonResult, hold_lesson, hold_lessons, lesson_rows


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    (web,) = generate_webs(["hosts=6,articles=60"], tmp_path_factory.mktemp("web"))
    topic = Laboratory().web(str(web)).topic_names()[0]
    return Case(str(web), topic, "near", "apprentice")


def lesson(case: Case, *, questions: int, wrong: float = 0.0) -> LessonResult:
    laboratory = Laboratory(CaseSettings(budget_factor=1.0, budget_floor=60))
    return hold_lesson(laboratory, case, questions=questions, wrong=wrong)


def test_without_questions_the_verdicts_stand(case: Case) -> None:
    held = lesson(case, questions=0)
    assert (held.yes, held.no, held.wrong) == (0, 0, 0)
    assert held.pages > 40
    assert held.recall_before is not None
    assert held.recall == pytest.approx(held.recall_before, abs=0.1), "but for the threshold, which had moved"


def test_answers_are_counted_and_some_are_wrong(case: Case) -> None:
    right, wrong = lesson(case, questions=10), lesson(case, questions=10, wrong=0.3)
    assert (right.yes + right.no, right.wrong) == (10, 0)
    assert (wrong.yes + wrong.no, wrong.wrong) == (10, 3)
    assert right == lesson(case, questions=10), "the same arguments give the same figures"
    assert right.precision is not None
    assert right.precision_before is not None
    assert right.precision >= right.precision_before


def test_all_answers_wrong_ruin_a_judge(case: Case) -> None:
    right, wrong = lesson(case, questions=10), lesson(case, questions=10, wrong=1.0)
    assert right.precision is not None
    assert wrong.recall is not None
    assert right.recall is not None
    assert (wrong.precision or 0.0) < right.precision or wrong.recall < right.recall


def test_the_table_has_a_mean(case: Case) -> None:
    laboratory = Laboratory(CaseSettings(budget_factor=1.0, budget_floor=60))
    results = hold_lessons(laboratory, [case], questions=4, wrong=0.0)
    head, rows = lesson_rows(results)
    assert [len(row) for row in rows] == [len(head)] * 2
    assert rows[-1][0] == "mean of 1"


def test_a_finished_run_cannot_answer(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    laboratory = Laboratory()
    monkeypatch.setattr(laboratory, "web", lambda path: object())
    with pytest.raises(ConfigError, match="needs the labels of a recorded web"):
        hold_lesson(laboratory, case, questions=1, wrong=0.0)
