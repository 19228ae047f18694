"""Keywords and summary of a page: what it declares as far as its text bears that out, then what its text says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TypeVar

from focuscrawl.extraction.base import Extraction, text_language
from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.tags import TAG_LINKS
from focuscrawl.text.background import background_idf
from focuscrawl.text.base import Tokenizer
from focuscrawl.text.quantity import is_quantity
from focuscrawl.text.summary import HAN_CHARS, KEYWORDS, OTHER_WORDS, keywords, sentences, summary
from focuscrawl.text.surface import surface_forms
from focuscrawl.text.tokenize import is_han

_Part = TypeVar("_Part")

_MAX_CHARS = 20_000  # a text's subject is told by its first ten pages of print
_MAX_KEYWORD_CHARS = 40
_END_CHARS = 8  # of a description, that are found in the text
_STOPS = ("", *"\n。！？.!?…")
_ADDRESS = re.compile(r"(?<![\w./-])(?:(?:https?://|www\.)\S++|[\w-]++(?:\.[\w-]++)++/\S++)")
# What software puts behind a beginning: "…", "[…]", "... Read more »".
_CUT = re.compile(
    r"\[?(?:…|\.\.\.)\]?"
    r"(?:\s?(?:[Rr]ead more|[Cc]ontinue reading|阅读全文|阅读更多|查看更多|閱讀更多)\s?[»→>]?)?$"
)
# A description that says what the text says, not what the site is for, shares so many of its words.
_BORNE_OUT = 0.6


@dataclass(frozen=True, slots=True)
class PageSummary:
    """Keywords and summary of a page."""

    keywords: tuple[str, ...] = ()
    text: str = ""


def summarise(
    page: PageAnalysis, found: Extraction | None, tokenizer: Tokenizer, *, tokens: Sequence[str] | None = None
) -> PageSummary:
    """Return keywords and summary of a page's main content; empty without text.

    The tags that a page shows as its own come first, eight at most: they say what it is about in other words, too.
    Declared keywords count when the title or the text has them, a declared description when six in ten of its words
    are in the text, unless half of the host's pages declare the same. A sentence at the end of a description that is
    cut goes. What is missing is computed (docs/formulas.md H.7).

    Parameters
    ----------
    tokens
        Of the whole text, when the caller has them.
    """
    if found is None or not found.text.strip():
        return PageSummary()
    text = found.text[:_MAX_CHARS]
    title, description = tokenizer.chunks([found.title or page.title, page.description])
    if tokens is None or len(text) < len(found.text):
        tokens = tokenizer.tokens(text)
    language = text_language(page, found) or "auto"
    idf = background_idf(language).idf
    code = _code(page, tokens)
    aside = _aside(code, text, tokens, tokenizer)
    found_words = keywords(
        tokens, title=title, headings=page.heading_tokens, idf=idf, language=language, text=text, aside=aside
    )
    computed = surface_forms(found_words, [text], tokenizer).values()
    haystack = f"{found.title}\n{text}".casefold()
    declared = [
        word
        for raw in (() if page.site_wide.keywords else page.keywords)
        if 1 < len(word := " ".join(raw.split())) <= _MAX_KEYWORD_CHARS
        and word.casefold() in haystack
        and not is_quantity(word.casefold())
    ]
    words: dict[str, str] = {}
    for word in (*found.tags[:TAG_LINKS], *declared, *computed):
        words.setdefault(word.casefold(), word)
    said = not page.site_wide.description and _borne_out(description, set(tokens))
    short = " ".join(page.description.split())
    is_short = len(short) <= HAN_CHARS or len(short.split()) <= OTHER_WORDS
    short = _uncut(short, text) if said and is_short else ""
    if not short:
        lines = _only_in(chain.from_iterable(map(pairwise, code)), pairwise(tokens)) if code else frozenset()
        short = summary(text, title=title, idf=idf, tokenizer=tokenizer, language=language, aside=aside, code=lines)
    return PageSummary(tuple(words.values())[:KEYWORDS], short)


def _uncut(description: str, text: str) -> str:
    """Return a description without its last sentence where that is the beginning of one of the text.

    Software that declares the first 200 characters of a text cuts it there, and may put a mark behind ("…", "Read
    more »"). '' when less than half would remain.
    """
    start = _CUT.sub("", description).rstrip()
    end = "".join(start.split())[-_END_CHARS:]
    if len(end) < _END_CHARS:
        return description
    if end[-1] in _STOPS:
        return start
    lines = "\n".join("".join(line.split()) for line in text.split("\n"))
    at = lines.find(end)
    if at < 0 or lines[at + len(end) : at + len(end) + 1] in _STOPS:
        return description if start == description else f"{start}…"
    last = sentences(start)[-1]
    kept = start.removesuffix(last).rstrip()
    return kept if 2 * len(kept) >= len(start) else ""


def _code(page: PageAnalysis, tokens: Sequence[str]) -> list[Sequence[str]]:
    """Return the tokens of each block of code.

    None where most of the text is set like code: it is another text in a type of equal widths.
    """
    code: list[Sequence[str]] = [block.tokens for block in page.blocks if block.tag == "pre"]
    return code if 2 * sum(map(len, code)) <= len(tokens) else []


def _aside(code: Sequence[Sequence[str]], text: str, tokens: Sequence[str], tokenizer: Tokenizer) -> frozenset[str]:
    """Return the words of a text that stand in code and addresses only, Chinese ones aside."""
    pieces = text.split() if "/" in text else ()  # most have no slash, which is faster told than by the pattern
    addresses = [address for piece in pieces if "/" in piece for address in _ADDRESS.findall(piece)]
    apart = list(chain(*code, *tokenizer.chunks(addresses)))
    return frozenset(word for word in _only_in(apart, tokens) if not is_han(word[:1])) if apart else frozenset()


def _only_in(apart: Iterable[_Part], everywhere: Iterable[_Part]) -> frozenset[_Part]:
    """Return what stands nowhere but in a part of a text."""
    times = Counter(everywhere)
    return frozenset(part for part, n in Counter(apart).items() if n >= times[part])


def _borne_out(description: list[str], text: set[str]) -> bool:
    distinct = set(description)
    return bool(distinct) and len(distinct & text) >= _BORNE_OUT * len(distinct)
