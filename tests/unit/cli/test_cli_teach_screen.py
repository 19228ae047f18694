"""A page shown with the topic's words marked."""

from __future__ import annotations

import os
import pty
import re
import signal
import sys
from pathlib import Path
from threading import Event, Thread, Timer, get_native_id

import pytest
from rich.cells import cell_len

from focuscrawl.cli.teach_screen import ask_key, show_page
from focuscrawl.teaching.candidates import Candidate
from focuscrawl.topic.spec import TopicSpec
from focuscrawl.topic.word_finder import topic_words, word_finder
from focuscrawl.wording.base import Say

TEA = TopicSpec(name="tea", terms={"tea": 1.0, "茶叶": 1.0, "green tea": 0.5}, synonyms={"茶叶": ["茗茶"]})


def shown(text: str, capfdbinary: pytest.CaptureFixture[bytes], *, title: str = "Tea") -> list[str]:
    page = Candidate("http://e.org/茶", "e.org", title, text, 0.5, 0.5, {})
    show_page(page, topic_words(TEA), Say(), head="Question 1 of 20")
    return capfdbinary.readouterr().out.decode().splitlines()


def starred(text: str, topic: TopicSpec) -> str:
    finder = word_finder(topic_words(topic), text)
    return text if finder is None else finder.sub("*", text)


def test_words_are_marked_whole_with_plurals_and_the_longest_first() -> None:
    text = "Teas and green tea, steamed; 好茶叶, 茗茶 and 茶"
    assert starred(text, TEA) == "* and *, steamed; 好*, * and 茶"


def test_chinese_words_are_marked_in_either_script() -> None:
    travel = TopicSpec(name="travel", terms={"旅游": 1.0, "臺灣": 1.0})
    assert starred("臺灣旅遊, 台湾旅游, 台灣的旅行", travel) == "**, **, *的旅行"


def test_words_are_marked_of_a_topic_of_more_than_a_pattern_has_room_for(capfd: pytest.CaptureFixture[str]) -> None:
    gazetteer = TopicSpec(name="places", terms={f"village of saint {number:x}": 1.0 for number in range(60_000)})
    assert starred("Once in the Village of Saint beef, by a pond.", gazetteer) == "Once in the *, by a pond."
    names = [f"hamlet{number}" for number in range(3_000)]
    hamlets = TopicSpec(name="places", terms=dict.fromkeys(names, 1.0))
    assert set(starred(" ".join(names), hamlets)) == {"*", " "}
    assert capfd.readouterr().err == ""


def test_a_topic_of_samples_has_none_to_mark() -> None:
    of_samples = TopicSpec.model_validate({"name": "x", "samples": {"relevant_text": ["a text"]}})
    assert starred("a text", of_samples) == "a text"


def test_no_line_is_wider_than_the_screen(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    lines = shown("春天采摘的茶叶，杀青之后在锅里揉捻。" * 40 + "\n" + "tea leaves " * 200, capfdbinary)
    assert max(map(cell_len, lines)) <= 100
    assert any(cell_len(line) > 90 and re.search("[一-龥]", line) for line in lines), "Chinese fills the line"
    assert lines[-1] == "…"
    assert len(lines) <= 20
    assert any("[茶叶]" in line for line in lines)


def test_a_page_cannot_act_on_the_terminal(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    lines = shown("red \x1b[31m tea\x07 [bold]markup[/bold]", capfdbinary, title="\x1b]0;owned\x07 tea")
    assert not re.search("[\x00-\x09\x0b-\x1f]", "\n".join(lines).replace("\n", ""))
    assert any("[bold]markup[/bold]" in line for line in lines)


def test_a_ctrl_c_that_does_not_break_the_waiting_off_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one does that comes just before the waiting begins: here another thread takes the signal."""
    keyboard, terminal = pty.openpty()
    state = Path(f"/proc/self/task/{get_native_id()}/stat")

    begun = Event()  # a signal before would interrupt the test itself

    def press() -> None:
        begun.wait()
        waiting = 0
        while waiting < 50:
            waiting = waiting + 1 if state.read_text().rpartition(")")[2].split()[0] == "S" else 0
        os.kill(os.getpid(), signal.SIGINT)

    def wait() -> None:
        begun.set()
        ask_key(Say())

    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    presser = Thread(target=press)
    presser.start()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    give_up = Timer(60.0, os.write, (keyboard, b"q"))
    give_up.start()
    try:
        with open(terminal, encoding="utf-8") as stdin:
            monkeypatch.setattr(sys, "stdin", stdin)
            with pytest.raises(KeyboardInterrupt):
                wait()
    finally:
        begun.set()
        give_up.cancel()
        give_up.join()
        presser.join()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        signal.signal(signal.SIGINT, handler)
        os.close(keyboard)
