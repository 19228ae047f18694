"""`focuscrawl recrawl`: its options, and rounds one after another."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from focuscrawl.cli.main import app
from focuscrawl.cli.recrawl import repeat, run_round
from focuscrawl.wording.base import Say


class Clock:
    """Time that passes when somebody sleeps or works."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def _repeat(clock: Clock, took: list[float], codes: list[int], *, every_s: float = 60.0, rounds: int = 0) -> int:
    def one_round() -> int:
        clock.now += took.pop(0)
        return codes.pop(0)

    return repeat(one_round, every_s, rounds=rounds, say=Say(), sleep=clock.sleep, clock=clock)


def test_rounds_begin_so_often_and_one_that_takes_longer_delays_the_next(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    assert _repeat(clock, [10.0, 100.0, 5.0], [0, 0, 0], rounds=3) == 0
    assert clock.slept == [50.0, 0.0]
    assert "Next round in 50 s." in capsys.readouterr().err


def test_a_round_that_fails_ends_all() -> None:
    clock = Clock()
    assert _repeat(clock, [1.0, 1.0, 1.0], [0, 2, 0]) == 2
    assert clock.slept == [59.0]


def test_rounds_end_when_they_are_stopped() -> None:
    def stopped() -> int:
        raise KeyboardInterrupt

    assert repeat(stopped, 60.0, rounds=0, say=Say()) == 0


def test_a_round_has_the_exit_code_of_its_process() -> None:
    assert run_round([sys.executable, "-c", "raise SystemExit(3)"]) == 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--every", "soon"], 'expected a time such as "6h", "30m", "1d" or seconds'),
        (["--every", "0h"], "expected a time"),
        (["--rounds", "2"], "--rounds goes with --every"),
        (["--allocation", "optimum"], "'uniform', 'proportional', 'optimal'"),
        (["--new", "1.5"], "--new"),
        (["--pages", "0"], "--pages"),
    ],
)
def test_wrong_options_are_told(tmp_path: Path, options: list[str], words: str) -> None:
    (tmp_path / "crawl.db").write_bytes(b"")
    result = CliRunner().invoke(app, ["recrawl", str(tmp_path), *options], env={"COLUMNS": "200"})
    assert result.exit_code == 2
    assert words in " ".join(result.output.split())


def test_a_run_that_is_not_there_is_told(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["recrawl", str(tmp_path / "none")])
    assert result.exit_code != 0
    assert "none" in str(result.exception)


def test_ctrl_c_while_the_next_round_loads_leaves_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt")
    command = [sys.executable, "-m", "focuscrawl", "recrawl", "run"]
    done = subprocess.run(command, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "")
