"""A finished run as a web to crawl again: which order would another strategy have fetched its pages in.

The run's database has the pages it fetched, the links between them and the judge's verdicts, and nothing else. So the
verdicts are the labels, a link to a page that the run did not fetch leads nowhere, and a link is known by its URL and
by the anchor it was queued with: what stood around it, its place in the page and the text of irrelevant pages were not
kept. A strategy can show here that it reaches the finds of the run sooner, or later. It cannot show that it finds
what the run missed, and strategies that live on block context or on the page's text show less than they can do.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any, NoReturn

from focuscrawl.errors import ConfigError, InputError, StoreError
from focuscrawl.extraction.base import Extraction
from focuscrawl.lab.simulate.files import Answer
from focuscrawl.lab.simulate.links import LinkGraph
from focuscrawl.lab.simulate.metrics import RELEVANT_GRADE
from focuscrawl.lab.simulate.recorded import WebTopic
from focuscrawl.page.blank import blank_page
from focuscrawl.page.build import builder
from focuscrawl.page.model import Link, PageAnalysis
from focuscrawl.page.urls import host_of, url_key, url_tokens
from focuscrawl.records import Outcome, PageRecord
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.reading import PageQuery
from focuscrawl.storage.run import CRAWLS, DATABASE, LATEST, RunFolder, holds_run
from focuscrawl.storage.run_settings import RunSettings
from focuscrawl.text.base import Tokenizer
from focuscrawl.topic.base import PageJudge, TopicModel, Verdict
from focuscrawl.topic.examples import examples_file, without_examples
from focuscrawl.topic.spec import TopicSpec, load_topic
from focuscrawl.types import Explained, UrlKey

RUN_START = "run"
AS_CRAWLED = "as-crawled"
"""The run's own order, beside the strategies that are tried on its pages."""
LIMITS = (
    "replayed runs: the run's verdicts are the labels and only its own pages can be fetched, so this shows who finds"
    " what the run found sooner, not who would have found more; text around links and block context were not kept"
)
_link = builder(Link)
_PLAIN_LINK = Link("", 0, "", "a", "")
_LINK_FIELDS = Link.__slots__


def is_run(reference: Path) -> bool:
    """Tell whether a folder (or a name of a run) is meant as a finished run."""
    if reference.is_dir():
        return holds_run(reference)
    return reference.name == DATABASE or str(reference) == LATEST or (CRAWLS / reference).is_dir()


class FinishedRun:
    """A run in the shape of a recorded web: one topic, one start.

    Raises
    ------
    ConfigError
        If the run fetched no page, or its topic file is gone, or has changed since, or has other examples.
    StoreError
        If there is no such run or it cannot be read.
    """

    starts = (RUN_START,)

    def __init__(self, reference: Path) -> None:
        folder = RunFolder.find(str(reference))
        self.root = folder.path
        self.name = f"{folder.path.parent.name}-{folder.path.name}"
        with CrawlDb.open_readonly(folder.db) as db:
            self.settings = RunSettings.load(db)
            self._read(db)
        if not self.order:
            raise InputError(f"{folder.path}: this run fetched no page; there is nothing to replay")
        self._spec = self._load_topic()
        self._judged = {record.final_url: record for record in self.pages.values()}

    def _read(self, db: CrawlDb) -> None:
        self.pages: dict[str, PageRecord] = {}  # identity -> its last record
        self._of_key: dict[UrlKey, str] = {}
        for record in db.pages(PageQuery(outcome=Outcome.DONE)):
            page = _identity(record.final_url)
            self.pages[page] = record
            self._of_key[record.key] = self._of_key[url_key(record.final_url)] = page
        self.order = tuple(self.pages)
        self.seeds = tuple(dict.fromkeys(record.url for record in self.pages.values() if record.parent is None))
        with db.reading() as connection:
            rows = connection.execute("SELECT key, url, data FROM frontier")
            self._found = {int(key, 16): (url, _anchor(data)) for key, url, data in rows}
        self._targets: dict[str, list[UrlKey]] = {}
        for source, targets in db.edges():
            page_of_source = self._of_key.get(source)
            if page_of_source is not None:
                self._targets[page_of_source] = [key for key in targets if key in self._found]

    def _load_topic(self) -> TopicSpec:
        try:
            spec = load_topic(self.settings.topic_file)
            if self.settings.examples_file:
                spec = spec.taught_by(Path(self.settings.examples_file))
        except StoreError:
            raise
        except Exception as error:
            raise InputError(
                f"{self.root}: the topic file it was started with cannot be read ({error}); put it back to replay it"
            ) from error
        if spec.digest != self.settings.topic_version:
            self._refuse(spec)
        return spec

    def _refuse(self, spec: TopicSpec) -> NoReturn:
        """Say which file has changed since the run: the topic, or only its examples, of which a lesson adds some."""
        if spec.untaught_digest != without_examples(self.settings.topic_version):
            raise InputError(
                f"{self.root}: {self.settings.topic_file} has changed since the run, so its verdicts are those of"
                " another topic; put back the old file, or crawl anew"
            )
        examples = self.settings.examples_file or examples_file(Path(self.settings.topic_file))
        raise InputError(
            f"{self.root}: the examples in {examples} have changed since the run was judged; judge it by them with"
            f" focuscrawl topic teach {shlex.quote(str(self.root))} --questions 0, put back the old file, or crawl anew"
        )

    # -------------------------------------------------------------- as a web

    def topic_names(self) -> list[str]:
        """Return the run's one topic."""
        return [self.settings.topic]

    def topic(self, name: str) -> WebTopic:
        """Return the topic, labelled by the run's verdicts."""
        if name != self.settings.topic:
            raise ConfigError(f'{self.root}: this run is about "{self.settings.topic}", not "{name}"')
        grades = {page: RELEVANT_GRADE if record.relevant else 0 for page, record in self.pages.items()}
        spec = self._spec
        return WebTopic(
            name, spec.title, spec.description, tuple(spec.terms), (), {RUN_START: self.seeds}, grades, unknown_labels=0
        )

    def spec(self, name: str, start: str, *, strategy: str = "", options: Mapping[str, Any] | None = None) -> TopicSpec:
        """Return the run's topic file with another strategy."""
        if name != self.settings.topic or start != RUN_START:
            raise ConfigError(f'{self.root}: topic "{name}" from "{start}" is not in this run')
        ranking = self._spec.ranking.model_copy(update={"strategy": strategy, "options": dict(options or {})})
        return self._spec.model_copy(update={"ranking": ranking, "seeds": self.seeds})

    def graph(self) -> LinkGraph:
        """Return the links between the fetched pages."""
        return LinkGraph(
            {
                page: list(
                    dict.fromkeys(
                        target
                        for key in self._targets.get(page, ())
                        if (target := self._of_key.get(key)) is not None and target != page
                    )
                )
                for page in self.order
            }
        )

    def identity(self, url: str) -> str | None:
        """Return the fetched page a URL led to, None when the run did not fetch it."""
        return self._of_key.get(url_key(url))

    def answer(self, url: str) -> Answer:
        """Return what the run got for a URL; 404 for what it did not fetch."""
        page = self.identity(url)
        if page is None:
            return Answer(404, url)
        final = self.pages[page].final_url
        return Answer(200, final, () if final == url else (url,), "", "text/html")

    def page(self, url: str, tokenizer: Tokenizer) -> PageAnalysis:
        """Return as much of a fetched page's analysis as the run kept."""
        record = self._judged[url]
        page = _identity(url)
        title = tuple(tokenizer.tokens(record.title))
        text = tuple(tokenizer.tokens(record.text))
        targets = self._targets.get(page, ())
        links = []
        for position, key in enumerate(targets):
            target, anchor = self._found[key]
            words = tuple(tokenizer.tokens(anchor)) if anchor else ()
            own = {
                "url": target,
                "key": key,
                "host": host_of(target),
                "anchor": anchor,
                "anchor_tokens": words,
                "text_tokens": words,
                "url_tokens": url_tokens(target, tokenizer),
                "position": position,
                "n_links": len(targets),
            }
            links.append(_link(*[own.get(name, getattr(_PLAIN_LINK, name)) for name in _LINK_FIELDS]))
        return replace(
            blank_page(url, host=record.host),
            title=record.title,
            title_tokens=title,
            language=record.language,
            tokens=text,
            content_tokens=text,
            links=tuple(links),
        )


class ReplayedPages:
    """The pages of a finished run, each made once."""

    def __init__(self, run: FinishedRun, tokenizer: Tokenizer) -> None:
        self.files = run
        self.tokenizer = tokenizer
        self.texts = RecordedTexts(run)
        self.reading_s = 0.0
        self._memory: dict[str, PageAnalysis] = {}

    def get(self, answer: Answer) -> PageAnalysis:
        """Return the analysis of a page."""
        page = self._memory.get(answer.url)
        if page is None:
            began = process_time()
            page = self._memory[answer.url] = self.files.page(answer.url, self.tokenizer)
            self.reading_s += process_time() - began
        return page


class RecordedTexts:
    """Extractor that gives the texts the run stored; of other pages none was kept."""

    name = "recorded"

    def __init__(self, run: FinishedRun) -> None:
        self._run = run

    def extract(self, page: PageAnalysis) -> Extraction | None:
        """Return what the run stored of a page, None when it stored no text."""
        record = self._run.pages[_identity(page.url)]
        return Extraction(self.name, record.text, record.title) if record.text else None


class RecordedVerdicts(PageJudge):
    """A judge that says of each page what the run's judge said."""

    name = "recorded"

    def __init__(self, topic: TopicModel, run: FinishedRun) -> None:
        self._run = run
        self._topic = f"{topic.name}@{topic.version}"

    def judge(self, page: PageAnalysis) -> Verdict:
        """Return the recorded verdict."""
        record = self._run.pages[_identity(page.url)]
        score = Explained(record.relevance, dict(record.judged), "as the run's judge said")
        return Verdict(score, record.threshold, record.relevant, self._topic)


def _identity(url: str) -> str:
    return url.partition("://")[2]


def _anchor(data: str | None) -> str:
    return str(json.loads(data).get("anchor", "")) if data else ""
