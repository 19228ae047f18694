"""Teaching of a run: where its topic file is, what may be asked, and what the answers change."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from focuscrawl.atomic_file import replacement
from focuscrawl.crawler.changed_settings import is_there
from focuscrawl.errors import TopicError, os_reason
from focuscrawl.fleet import folder_channel
from focuscrawl.fleet.commands import Retopic
from focuscrawl.frontier.sqlite import SqliteFrontier
from focuscrawl.report.write import write_report
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.jsonl import JsonlStore
from focuscrawl.storage.run import RunFolder
from focuscrawl.storage.run_settings import RunSettings
from focuscrawl.storage.runlock import LOCK_NAME, RunLock
from focuscrawl.storage.unsettled import earlier_worker
from focuscrawl.teaching.candidates import Candidate, UntaughtScores, candidates, known_pages
from focuscrawl.teaching.lesson import Lesson
from focuscrawl.teaching.rejudge import Rejudged, rejudge
from focuscrawl.topic.examples import Example, examples_file, write_examples
from focuscrawl.topic.files import display, package_folder, shipped_topics
from focuscrawl.topic.model import fit_topic
from focuscrawl.topic.packaged import is_packaged
from focuscrawl.topic.packed import pack_topic, unpack_topic
from focuscrawl.topic.spec import TopicSpec, dump_topic, load_topic
from focuscrawl.wording.base import Say

_ENGLISH = Say()
_JUDGED_OTHERWISE = "SELECT 1 FROM pages WHERE topic <> ? AND (text <> '' OR set_aside <> '') LIMIT 1"


@dataclass(frozen=True, slots=True)
class TaughtRun:
    """A run with the topic that is to be taught."""

    folder: RunFolder
    spec: TopicSpec
    topic_file: Path
    copied: bool = False  # the topic came with the package, so a copy of it was made
    say: Say = _ENGLISH  # the language of the report that is written anew

    @property
    def examples_file(self) -> Path:
        """The file that answers are written to."""
        return examples_file(self.topic_file)

    @property
    def running(self) -> bool:
        """Whether a crawl is at work in the folder."""
        lock = RunLock(self.folder.path / LOCK_NAME)
        if not os.access(self.folder.path, os.W_OK) or lock.acquire() is None:
            lock.release()
            return False
        return True

    @property
    def is_judged_otherwise(self) -> bool:
        """Whether verdicts that can be changed, or what the crawl goes by, are not by the topic file as it is now.

        Examples had a part in them, or the file has been edited since.
        """
        with CrawlDb.open_readonly(self.folder.db) as db:
            now = f"{self.spec.name}@{self.spec.untaught_digest}"
            if next(db.select(_JUDGED_OTHERWISE, (now,)), None) is not None:
                return True
        commands, _ = folder_channel.read(self.folder.path)
        changes = [command for command in commands if isinstance(command, Retopic)]
        return bool(changes) and bool(unpack_topic(changes[-1].model_dump()).examples)

    def lesson(self, urls: Iterable[str] = ()) -> tuple[Lesson, dict[str, Candidate]]:
        """Return a lesson about the pages of the run, and those of `urls` that are among them.

        Raises
        ------
        StoreError
            If the run cannot be read.
        """
        topic = fit_topic(self.spec)
        with CrawlDb.open_readonly(self.folder.db) as db:
            scores = UntaughtScores(self.spec, topic)
            named = known_pages(db, scores, urls)
            pages = {page.url: page for page in (*candidates(db, scores), *named.values())}
        return Lesson(self.spec, topic, list(pages.values())), named

    def keep(self, examples: Sequence[Example]) -> None:
        """Write the examples beside the topic file, as a whole.

        Raises
        ------
        TopicError
            If they cannot be written.
        """
        write_examples(self.examples_file, self.spec.name, examples)

    def apply(self, lesson: Lesson) -> Rejudged | None:
        """Judge the run anew by what was learned; a crawl that is at work takes it up itself, and None is returned.

        Without examples it is judged as it was before there were any.

        Raises
        ------
        FocusCrawlError
            If the run cannot be changed; the answers are kept all the same.
        """
        spec = self.spec.taught(lesson.examples)
        if self.running:
            folder_channel.give(self.folder.path, Retopic(**pack_topic(spec)))
            return None
        RunFolder.open(self.folder.path)  # one that may be written
        with CrawlDb.open(self.folder.db) as db:
            result = rejudge(db, spec, lesson.correction)
            db.set_setting("topic_version", spec.digest)
            db.set_setting("examples_file", str(self.examples_file.absolute()) if self.copied else "")
            fleet = earlier_worker(db) is not None
            _write_results(db, self.folder)
        if not fleet:
            asyncio.run(_rescore(self.folder.db, result))
            _note_topic(self.folder.path, spec)
        if self.folder.report.exists():
            with CrawlDb.open_readonly(self.folder.db) as db:
                write_report(db, self.folder.report, say=self.say)
        return result


def open_taught(run: str, *, topic: str = "", allow_outside: bool = False, say: Say = _ENGLISH) -> TaughtRun:
    """Return a run and its topic file.

    Parameters
    ----------
    run
        Run folder, the name of a topic (its newest run), or "latest".
    topic
        The topic file, where it is not the one the run was started with.
    say
        The language of the report that is written anew.

    Raises
    ------
    FocusCrawlError
        If there is no such run, its topic file is gone, or is about something else.
    """
    folder = RunFolder.find(run)
    with CrawlDb.open_readonly(folder.db) as db:
        settings = RunSettings.load(db)
    reference = topic or settings.topic_file or str(settings.arguments.get("topic", ""))
    kept = settings.topic_file
    if not topic and kept and not is_there(kept):
        raise TopicError(
            [f"{settings.topic_file}: the topic file of this run is gone; name it with --topic, or put it back."]
        )
    spec = load_topic(reference, allow_outside=allow_outside)
    if settings.topic and spec.name != settings.topic:
        raise TopicError([f'{folder.path}: this run is about "{settings.topic}", not "{spec.name}".'])
    file, copied = _own_file(spec)
    if copied:
        spec = spec.taught_by(examples_file(file))
    return TaughtRun(folder, spec, file, copied, say)


def _own_file(spec: TopicSpec) -> tuple[Path, bool]:
    """Return the topic file to write beside; a copy in ``topics`` for one that is not the user's to write beside."""
    if spec.path is not None and not is_packaged(spec.reference):  # what lies in an egg is unpacked for this process
        folder, shipped = spec.path.resolve().parent, shipped_topics()
        ships = folder == shipped or folder.is_relative_to(package_folder())  # the demo's lies in the package
        if not ships or folder == (Path.cwd() / "topics").resolve():
            return spec.path, False
    copy = Path("topics") / f"{spec.name}.toml"
    if not copy.exists():
        samples = spec.samples_loaded()
        if any(sample.html is not None for sample in samples):
            raise TopicError([f"{spec.name}: copy the topic and its sample pages into topics/ first."])
        inline = {
            "relevant": (),
            "irrelevant": (),
            "relevant_text": tuple(one.text for one in samples if one.kind == "relevant"),
            "irrelevant_text": tuple(one.text for one in samples if one.kind != "relevant"),
            "inherit": (),  # they are among the texts now
            "drop": (),
        }
        own = spec.model_copy(
            update={
                "samples": spec.samples.model_copy(update=inline),
                "seeds": tuple(spec.seed_urls()),
                "seed_files": (),
                "examples": (),
            }
        )
        try:
            copy.parent.mkdir(exist_ok=True)
            with replacement(copy) as file:
                file.write(dump_topic(own).encode())
        except OSError as error:
            why = os_reason(error)
            raise TopicError([f"{display(copy)}: a copy of the topic cannot be written: {why}"]) from error
    return copy, True


def _write_results(db: CrawlDb, folder: RunFolder) -> None:
    """Write ``pages.jsonl`` anew from the rows."""
    path = folder.as_worker().pages_jsonl if list(folder.path.glob("pages-*.jsonl")) else folder.pages_jsonl
    if path.exists():
        with closing(JsonlStore(path)) as store:
            store.rewrite(db.pages)


async def _rescore(db: Path, result: Rejudged) -> None:
    frontier = SqliteFrontier(db)
    await frontier.open()
    try:
        await frontier.set_offsets(dict(result.offsets or {}))
        await frontier.rescore(dict(result.scores or {}))
    finally:
        await frontier.close()


def _note_topic(run: Path, spec: TopicSpec) -> None:
    """Have a run whose topic was changed while it ran go on with the taught one, and not with the one from then."""
    commands, _ = folder_channel.read(run)
    if any(isinstance(command, Retopic) for command in commands):
        number = folder_channel.give(run, Retopic(**pack_topic(spec)))
        folder_channel.mark_scored(run, number)
