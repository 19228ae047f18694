"""Judging, extracting and link scoring of single pages, in this process and without Scrapy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from focuscrawl import plugins
from focuscrawl.crawler.build import DEFAULT_EXTRACTOR, build_step
from focuscrawl.errors import ConfigError
from focuscrawl.extraction.base import text_language
from focuscrawl.extraction.markdown import to_markdown
from focuscrawl.extraction.page_summary import summarise
from focuscrawl.extraction.plain_extraction import extracted_or_told
from focuscrawl.page.analysis import analyse
from focuscrawl.ranking.base import Judged
from focuscrawl.text.tokenize import make_tokenizer
from focuscrawl.topic.judges import make_judge
from focuscrawl.topic.model import FittedTopic, fit_topic
from focuscrawl.topic.spec import TopicSpec
from focuscrawl.topic.spec import load_topic as load_spec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from focuscrawl.extraction.base import Extraction, Extractor, Record
    from focuscrawl.page.model import PageAnalysis
    from focuscrawl.text.base import Tokenizer
    from focuscrawl.topic.base import Verdict


class Topic:
    """Topic file and the model made of it; the model is fitted when it is first needed."""

    def __init__(self, spec: TopicSpec) -> None:
        self.spec = spec

    @property
    def name(self) -> str:
        """Name of the topic."""
        return self.spec.name

    @property
    def title(self) -> str:
        """Its title for people, '' without one."""
        return self.spec.title

    @property
    def path(self) -> Path | None:
        """The topic file."""
        return self.spec.path

    @cached_property
    def model(self) -> FittedTopic:
        """The model that judges and scorers compare pages with."""
        return fit_topic(self.spec)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Weak spots of the topic file, one sentence each."""
        return self.model.warnings

    def __reduce__(self) -> tuple[type[Topic], tuple[TopicSpec]]:
        """Send another process the topic file's content: a model holds a tokenizer, which stays in its process."""
        return type(self), (self.spec,)

    def __repr__(self) -> str:
        return f"<Topic {self.name!r} of {self.path}>"


@dataclass(frozen=True, slots=True)
class ScoredLink:
    """Link of a page with the score it gets at the start of a crawl."""

    url: str
    anchor: str
    score: float  # in [0, 1]
    parts: Mapping[str, float]  # values of the strategy's parts
    reason: str


@dataclass(frozen=True, slots=True)
class ExtractedPage:
    """Main content of a page, with what is known of it."""

    url: str
    title: str
    text: str  # '' when none was found; `reason` says why
    method: str
    published: str | None
    author: str | None
    category: str | None
    keywords: list[str]
    summary: str
    language: str
    kind: str
    encoding: str
    confidence: float  # in [0, 1]
    parts: Mapping[str, float]
    reason: str
    xpaths: list[str]
    records: list[Record]  # posts of a thread
    markdown: str = ""  # the text with headings, lists, tables, links and code, when asked for


def load_topic(topic: str | Path) -> Topic:
    """Return the topic of a file, or of a name as ``focuscrawl topic list`` shows them.

    Raises
    ------
    TopicError
        If it cannot be found or read, with one sentence for each fault.
    """
    return Topic(load_spec(str(topic)))


def judge(topic: Topic, html: str | bytes, *, url: str) -> Verdict:
    """Return what the topic's judge makes of a page: `score.value` and its parts, `threshold`, `relevant`.

    An adaptive threshold is the one a crawl begins with. Text is taken as it is; the encoding of bytes is detected.

    Raises
    ------
    ConfigError
        If `topic` is no loaded topic, or `html` neither text nor bytes.
    """
    _check(topic)
    return make_judge(topic.model, topic.spec).judge(_analysed(html, url, topic.model.tokenizer))


def score_links(topic: Topic, html: str | bytes, *, url: str) -> list[ScoredLink]:
    """Return the links of a page, best first, as the topic's strategy scores them before it has learned anything.

    Raises
    ------
    ConfigError
        If `topic` is no loaded topic, or `html` neither text nor bytes.
    """
    _check(topic)
    step = build_step(topic.spec, topic.model)
    page = _analysed(html, url, topic.model.tokenizer)
    judged = Judged(page, step.judge.judge(page), key=page.key)
    links = list(page.links)
    ranked = step.ranker.rank(judged, links, step.scorer.score(links, page, topic.model))
    scored = [
        ScoredLink(link.url, link.anchor, place.score.value, place.score.parts, place.score.reason)
        for link, place in zip(links, ranked, strict=True)
    ]
    return sorted(scored, key=lambda link: -link.score)


def extract(html: str | bytes, *, url: str, method: str = DEFAULT_EXTRACTOR, markdown: bool = False) -> ExtractedPage:
    """Return title, main text, date and the like of a page.

    Parameters
    ----------
    markdown
        Whether to write the main text as Markdown, too.

    Raises
    ------
    ConfigError
        If `html` is neither text nor bytes.
    PluginError
        If there is no extraction method of that name, or a plug-in's fails, or gives what is no `Extraction`.
    """
    extractor = _extractor(method)
    page = _analysed(html, url, page_tokenizer())
    return extracted_page(page, extracted_or_told(extractor, page, method), method=method, markdown=markdown)


def extracted_page(
    page: PageAnalysis, found: Extraction | None, *, method: str, markdown: bool = False
) -> ExtractedPage:
    """Return what was found on a page; None is what `method` found on a page it does not handle."""
    summary = summarise(page, found, page_tokenizer())
    return ExtractedPage(
        url=page.url,
        title=(found.title if found else "") or page.title,
        text=found.text if found else "",
        method=found.method if found else method,
        published=found.published if found else None,
        author=found.author if found else None,
        category=found.category if found else None,
        keywords=list(summary.keywords),
        summary=summary.text,
        language=text_language(page, found),
        kind=str(page.kind),
        encoding=page.encoding,
        confidence=found.confidence.value if found else 0.0,
        parts=dict(found.confidence.parts) if found else {},
        reason=found.confidence.reason if found else page.empty_reason or "no main content found",
        xpaths=list(found.xpaths) if found else [],
        records=list(found.records) if found else [],
        markdown=to_markdown(found.text, page.tree, page.url) if found and markdown else "",
    )


@cache
def page_tokenizer() -> Tokenizer:
    """Return the tokenizer that pages without a topic are read with."""
    return make_tokenizer("auto")


@cache
def _extractor(name: str) -> Extractor:
    extractor: Extractor = plugins.build("extractors", name)
    return extractor


def _check(topic: object) -> None:
    if not isinstance(topic, Topic):
        raise ConfigError(f"topic={topic!r}: expected what focuscrawl.load_topic returns.")


def _analysed(html: str | bytes, url: str, tokenizer: Tokenizer) -> PageAnalysis:
    if not isinstance(url, str):
        raise ConfigError(f"url={url!r}: expected the address of the page, '' where it has none.")
    if isinstance(html, str):
        # Declared in the content type, which outweighs what the page says of the bytes it came in.
        body = html.encode("utf-8", "surrogatepass")
        return analyse(body, url, content_type="text/html; charset=utf-8", tokenizer=tokenizer)
    if not isinstance(html, bytes | bytearray):  # None would be an empty page, on no topic
        raise ConfigError(f"html={html!r}: expected the text of a page, or its bytes.")
    return analyse(html, url, tokenizer=tokenizer)
