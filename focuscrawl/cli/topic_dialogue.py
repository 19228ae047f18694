"""Questions and answers a line each, between any reader and any writer: a terminal, or a test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from unicodedata import normalize

from focuscrawl.cli.console import one_line
from focuscrawl.wording import drafting as words
from focuscrawl.wording.base import Say


class Choice(StrEnum):
    """Answer to a question of yes or no."""

    YES = "y"
    NO = "n"
    QUIT = "q"


_ANSWERS = {
    "y": Choice.YES,
    "yes": Choice.YES,
    "是": Choice.YES,
    "n": Choice.NO,
    "no": Choice.NO,
    "否": Choice.NO,
    "q": Choice.QUIT,
    "quit": Choice.QUIT,
}


class Dialogue:
    """Questions to a person.

    Parameters
    ----------
    read
        Returns the next line, "" at the end of the input.
    write
        Shows a piece of text.
    """

    def __init__(self, read: Callable[[], str], write: Callable[[str], None], say: Say) -> None:
        self._read = read
        self._write = write
        self._say = say

    def tell(self, sentence: str) -> None:
        """Show a sentence on a line of its own."""
        self._write(one_line(sentence) + "\n")

    def ask(self, question: str, *, default: str = "") -> str:
        """Return the answer on one line; `default` where the line is empty.

        Raises
        ------
        KeyboardInterrupt
            At the end of the input (Ctrl-D): there is nobody any more.
        """
        self._write(f"{one_line(question)}{f' [{default}]' if default else ''} ")
        line = self._read()
        if not line:
            self._write("\n")
            raise KeyboardInterrupt
        return " ".join(normalize("NFC", line).split()) or default

    def choose(self, question: str, *, default: Choice = Choice.YES) -> Choice:
        """Return yes, no or quit; asks again for anything else."""
        while True:
            hint = "[Y/n]" if default is Choice.YES else "[y/N]"
            answer = normalize("NFKC", self.ask(f"{question} {hint}")).strip().lower()
            if not answer:
                return default
            if answer in _ANSWERS:
                return _ANSWERS[answer]
            self.tell(self._say(words.YES_OR_NO))

    def pick(self, question: str, offered: Sequence[str]) -> int | None:
        """Return the place of what was chosen by its number, None for an empty line or no such number."""
        for number, line in enumerate(offered, start=1):
            self.tell(f"{number:>3}  {line}")
        answer = normalize("NFKC", self.ask(question))
        place = int(answer) - 1 if answer.isdecimal() and len(answer) < 4 else -1
        return place if 0 <= place < len(offered) else None
