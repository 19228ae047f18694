"""Templates learned from a feed: where body, title, category and date stand on its pages (docs/formulas.md G.2 to G.6).

A few entries with their pages give XPaths; these apply to every page of the site that is laid out alike, listed in the
feed or not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from focuscrawl.extraction.base import Extraction
from focuscrawl.extraction.feed_body import (
    DEFAULT_RULES,
    TokenSpans,
    coverage,
    learn_body,
)
from focuscrawl.extraction.feed_fields import (
    folded,
    learn_category,
    learn_date,
    learn_title,
    own_text,
    shown_date,
)
from focuscrawl.extraction.feed_noise import NoiseRules, Sample, clean_text, learn_noise
from focuscrawl.extraction.feed_paths import anchored_path, class_path, find_all, indexed_path, usable_class, vote
from focuscrawl.extraction.segments import segment
from focuscrawl.feeds.entries import FeedEntry
from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.tree import Element
from focuscrawl.text.base import Tokenizer
from focuscrawl.text.tokenize import make_tokenizer
from focuscrawl.types import Explained, clip01

METHOD = "feed_template"
NEWEST = 3  # K: entries that vote
NOISE_PAGES = 10  # pages that noise is learned from
LEAST_WORDS = 20  # fewer through a template are a failure, unless the element is surely the right one
THETA_V = 0.5  # least coverage of an entry by what a template extracts from its page
_LEAST_SAID = 12  # words of an entry that tell its page from another
_FULL_TEXT = 0.6  # an entry that has this share of the body's words holds the full text
_MAX_TITLE_CHARS = 500


@dataclass(frozen=True, slots=True)
class Place:
    """An element that pages of a site have in common.

    `forms` are XPaths that lead to it, the indexed one first; `tag`, `identity` and `classes` are what the elements on
    the pages learned from have in common, and tell a right element from one that merely stands in its place.
    """

    forms: tuple[str, ...]
    tag: str = ""
    identity: str = ""
    classes: tuple[str, ...] = ()

    @property
    def is_signed(self) -> bool:
        """Tell whether the element has a name to be known by."""
        return bool(self.identity or self.classes)

    def find(self, root: Element) -> tuple[Element, str, bool] | None:
        """Return the element, the path that led there, and whether its name is the learned one; None for none."""
        weak: tuple[Element, str, bool] | None = None
        for path in self.forms:
            for element in find_all(root, path):
                if self.is_signed and self._fits(element):
                    return element, path, True
                if weak is None and (not self.is_signed or element.tag == self.tag):
                    weak = element, path, False
        return weak

    def _fits(self, element: Element) -> bool:
        if element.tag != self.tag or (self.identity and element.get("id") != self.identity):
            return False
        return not self.classes or set(self.classes) <= set((element.get("class") or "").split())

    def fields(self) -> dict[str, object]:
        """Return the place as JSON-safe data."""
        return {"forms": list(self.forms), "tag": self.tag, "id": self.identity, "classes": list(self.classes)}

    @classmethod
    def of(cls, fields: Mapping[str, Any] | None) -> Place | None:
        """Return the place of `fields`, None for None."""
        if not fields:
            return None
        return cls(
            tuple(map(str, fields["forms"])), str(fields["tag"]), str(fields["id"]), tuple(map(str, fields["classes"]))
        )


@dataclass(frozen=True, slots=True)
class Template:
    """Paths to the parts of a site's pages."""

    body: Place
    title: Place | None = None
    category: Place | None = None
    date: Place | None = None
    noise: NoiseRules = field(default_factory=NoiseRules)
    pages: int = 0  # learned from
    agreed: float = 1.0  # share of them that voted for the body's path, in [0, 1]

    def extract(self, page: PageAnalysis) -> Extraction | None:
        """Return the main content, None when the page is not laid out like those learned from."""
        if page.tree is None:
            return None
        root = page.tree.root
        found = self.body.find(root)
        if found is None:
            return None
        element, path, sure = found
        title, title_path = _text_at(self.title, root)
        text = clean_text(segment(element), self.noise, title=title or page.title)
        words = len(default_tokenizer().tokens(text[: 40 * LEAST_WORDS]))
        if words < LEAST_WORDS and not (sure and text):
            return None
        category, category_path = _text_at(self.category, root)
        published, date_path = None, ""
        if self.date is not None and (place := self.date.find(root)) is not None:
            shown = shown_date(place[0])
            published, date_path = (shown.isoformat(), place[1]) if shown is not None else (None, "")
        parts = {"agreed": clip01(self.agreed), "known element": 1.0 if sure else 0.0}
        return Extraction(
            method=METHOD,
            text=text,
            title=title,
            published=published,
            category=category or None,
            xpaths=tuple(p for p in (path, title_path, category_path, date_path) if p),
            confidence=Explained(
                clip01((0.9 if sure else 0.6) * (0.5 + 0.5 * self.agreed)),
                parts,
                f"template of {self.pages} pages of the feed",
            ),
        )

    def fields(self) -> dict[str, object]:
        """Return the template as JSON-safe data."""
        named = {name: getattr(self, name) for name in ("body", "title", "category", "date")}
        return {
            **{name: place.fields() if place is not None else None for name, place in named.items()},
            "noise": self.noise.fields(),
            "pages": self.pages,
            "agreed": self.agreed,
        }

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> Template:
        """Return the template of `fields`.

        Raises
        ------
        KeyError, TypeError, ValueError
            If they are not those of a template.
        """
        body = Place.of(fields["body"])
        if body is None:
            raise ValueError("a template without a body")
        return cls(
            body,
            Place.of(fields.get("title")),
            Place.of(fields.get("category")),
            Place.of(fields.get("date")),
            NoiseRules.of(fields.get("noise") or {}),
            int(fields.get("pages", 0)),
            clip01(float(fields.get("agreed", 1.0))),
        )


@dataclass(frozen=True, slots=True)
class _Learned:
    root: Element
    body: Element
    full: Sequence[str] | None  # words of the entry when it has the full text
    title: Element | None
    category: Element | None
    date: Element | None


def learn_template(
    entries: Iterable[tuple[FeedEntry, PageAnalysis]],
    *,
    newest: int = NEWEST,
) -> Template | None:
    """Return the template of a feed, None when it cannot be learned from these pages.

    Parameters
    ----------
    entries
        Entries with their pages, newest first. Pages without a tree and entries without text teach nothing; the first
        `newest` that do vote, and up to ten show what is noise.
    """
    tokenizer = default_tokenizer()
    learned: list[_Learned] = []
    for entry, page in entries:
        if len(learned) >= max(newest, NOISE_PAGES):
            break
        one = _learn_page(entry, page, tokenizer)
        if one is not None:
            learned.append(one)
    voters = learned[:newest]
    body = _place([(one.root, one.body) for one in voters])
    if body is None:
        return None
    agreed = 0
    samples = []
    for one in learned:
        found = body.find(one.root)
        if found is None or found[0] is not one.body:
            continue
        agreed += 1
        samples.append(Sample(segment(one.body), one.full))
    return Template(
        body,
        _place([(one.root, one.title) for one in voters]),
        _place([(one.root, one.category) for one in voters]),
        _place([(one.root, one.date) for one in voters]),
        learn_noise(samples, tokenizer),
        len(learned),
        agreed / len(learned),
    )


def is_valid(entry: FeedEntry, extraction: Extraction | None) -> bool:
    """Tell whether what a template extracted from a page agrees with its entry (docs/formulas.md G.6)."""
    if extraction is None:
        return False
    tokenizer = default_tokenizer()
    wanted = Counter(tokenizer.tokens(entry.text))
    if wanted and coverage(wanted, tokenizer.tokens(f"{extraction.text} {extraction.title}")) < THETA_V:
        return False
    shown, title = folded(extraction.title), folded(entry.title)
    return not shown or not title or shown in title or title in shown


def denies(entry: FeedEntry, page: PageAnalysis) -> str:
    """Say why a page cannot be the one an entry is about, '' when it may be.

    An error page with status 200, a notice to sign in, or what was put in the article's place shows neither the title
    of the entry nor half of its words, anywhere.
    """
    tokenizer = default_tokenizer()
    wanted = Counter(tokenizer.tokens(entry.text))
    if page.tree is None or sum(wanted.values()) < _LEAST_SAID:
        return ""
    body = page.tree.root.find("body")
    top = body if body is not None else page.tree.root
    shown = TokenSpans(top, tokenizer).words
    title = folded(entry.title)
    if title and title in folded(f"{page.title} {''.join(page.headings)}"):
        return ""
    share = coverage(wanted, shown)
    if share >= THETA_V:
        return ""
    return f"the page has {share:.0%} of the words of its feed entry and not its title: an error page, or another text"


@cache
def default_tokenizer() -> Tokenizer:
    """Return the tokenizer of templates, by pairs of Chinese characters: a dictionary cuts one word in two ways."""
    return make_tokenizer(name="ngram")


def _learn_page(entry: FeedEntry, page: PageAnalysis, tokenizer: Tokenizer) -> _Learned | None:
    words = tokenizer.tokens(entry.text)
    if page.tree is None or not words:
        return None
    root = page.tree.root
    top = root.find("body")
    if top is None:
        return None
    spans = TokenSpans(top, tokenizer)
    body = learn_body(top, words, spans, DEFAULT_RULES)
    if body is None or spans.size(body) < min(LEAST_WORDS, len(words)):
        return None
    shown = spans.of(body)
    full = words if coverage(Counter(shown), words) >= _FULL_TEXT else None
    title = learn_title(top, entry.title)
    return _Learned(
        root, body, full, title, learn_category(top, entry.categories, title), learn_date(top, entry.published)
    )


def _place(found: Sequence[tuple[Element, Element | None]]) -> Place | None:
    """Return the place that elements of several pages have in common; None when none has one."""
    pairs = [(root, element) for root, element in found if element is not None]
    paths = [(path, root, element) for root, element in pairs if (path := indexed_path(element)) is not None]
    if not paths or 2 * len(paths) < len(found):
        return None
    winner = vote([path for path, _, _ in paths])
    backers = [(root, element) for _, root, element in paths if element in find_all(root, winner)]
    tags = {element.tag for _, element in backers}
    named = backers
    # Where positions differ from page to page, a name that all have tells more.
    if len({element.tag for _, element in pairs}) == 1:
        common = _common_classes([element for _, element in pairs])
        identities = {element.get("id") for _, element in pairs}
        if common or (len(identities) == 1 and None not in identities):
            named = pairs
            tags = {pairs[0][1].tag}
    tag = tags.pop() if len(tags) == 1 else ""
    identities = {element.get("id") or "" for _, element in named}
    identity = identities.pop() if len(identities) == 1 and tag else ""
    classes = _common_classes([element for _, element in named]) if tag else ()
    forms = [winner]
    anchored = Counter(form for root, element in backers if (form := anchored_path(element, root)) is not None)
    if anchored:
        form, count = anchored.most_common(1)[0]
        if 2 * count > len(backers):
            forms.append(form)
    for name in classes:
        form = class_path(tag, name)
        if usable_class(name) and all(find_all(root, form) == [element] for root, element in named):
            forms.append(form)
            break
    return Place(tuple(dict.fromkeys(forms)), tag, identity, classes)


def _common_classes(elements: Sequence[Element]) -> tuple[str, ...]:
    lists = [(element.get("class") or "").split() for element in elements]
    return tuple(dict.fromkeys(name for name in lists[0] if all(name in other for other in lists[1:]))) if lists else ()


def _text_at(place: Place | None, root: Element) -> tuple[str, str]:
    found = place.find(root) if place is not None else None
    if found is None:
        return "", ""
    element, path, _ = found
    text = " ".join(own_text(element).split()) or " ".join("".join(element.itertext()).split())
    return text[:_MAX_TITLE_CHARS], path
