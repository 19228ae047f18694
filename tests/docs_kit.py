"""The documentation as tests read it: its pages, their blocks, and the commands in them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    ROOT / "README.zh.md",
    ROOT / "CHANGELOG.md",
    ROOT / "SECURITY.md",
    *sorted(DOCS.glob("*.md")),
]
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(
    r"^ {4,}(?=(?:focuscrawl|scrapy) [a-z]|python (?:benchmarks/|-m ))(.+(?:(?<=\\)\n.+)*)$", re.MULTILINE
)
_CODE = re.compile(r"`([^`]+)`")  # a line may end in it
_COMMAND = re.compile(r"(?:focuscrawl|scrapy) [a-z]|python (?:benchmarks|tests)/|benchmarks/\w+\.py\b")
_ENDS = frozenset({"|", "||", "&", "&&", ";", ">", ">>", "<", "\n"})


@dataclass(frozen=True, slots=True)
class Block:
    """A block of code; `number` counts those of its language on the page, from 1."""

    page: Path
    language: str
    number: int
    text: str

    @property
    def name(self) -> str:
        """What an exception names it by."""
        return f"{self.page.relative_to(ROOT)} {self.language} {self.number}"


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a page; `shown` is what the page prints below it, '' for nothing."""

    page: Path
    words: tuple[str, ...]
    shown: str = ""

    @property
    def line(self) -> str:
        """The command in one line."""
        return " ".join(self.words)


def text_of(page: Path) -> str:
    """Return the text of a page."""
    return page.read_text(encoding="utf-8")


def blocks(page: Path) -> list[Block]:
    """Return the blocks of a page in their order."""
    counts: dict[str, int] = {}
    found = []
    for language, text in _BLOCK.findall(text_of(page)):
        counts[language] = counts.get(language, 0) + 1
        found.append(Block(page, language, counts[language], text))
    return found


def commands(block: Block) -> list[Command]:
    """Return the commands of a shell block, or of a console's lines that begin with ``$``."""
    if block.language in ("sh", "bash"):
        return [Command(block.page, words) for words in parted(block.text)]
    found = []
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        line, _, shown = part.partition("\n")
        found += [Command(block.page, words, shown) for words in parted(line)]
    return found


def prose(page: Path) -> str:
    """Return a page without its fenced blocks of code."""
    return _BLOCK.sub("", text_of(page))


def indented_commands(page: Path) -> list[Command]:
    """Return the commands of the blocks that are indented, not fenced."""
    return [Command(page, words) for text in _INDENTED.findall(prose(page)) for words in parted(text)]


def codes(text: str) -> list[str]:
    """Return what stands in prose as code, each in one line."""
    return [" ".join(code.split()) for code in _CODE.findall(text)]


def inline_commands(page: Path) -> list[Command]:
    """Return what stands in a page's prose as code and begins with the name of a command or a script of ours."""
    found = [code for code in codes(prose(page)) if _COMMAND.match(code)]
    return [Command(page, words) for code in found for words in parted(code)]


def parted(text: str) -> Iterator[tuple[str, ...]]:
    """Return the commands of a shell text: without comments, redirections and assignments in front.

    >>> list(parted("A=1 one 'x y' | two # three\\\\nfour > out.txt && five &"))
    [('one', 'x y'), ('two',), ('four',), ('five',)]
    """
    joined = text.replace("\\\n", " ")
    for line in joined.splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|<>")
        lexer.commenters = "#"
        lexer.whitespace_split = True
        words: list[str] = []
        skip = False
        for token in [*lexer, "\n"]:
            if token in _ENDS:
                if words:
                    yield tuple(words)
                words, skip = [], token in (">", ">>", "<")
            elif skip:
                skip = False
            elif words or not re.fullmatch(r"[A-Z_]+=\S*", token):
                words.append(token)
