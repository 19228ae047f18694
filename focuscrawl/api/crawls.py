"""Crawls for Python code: each in a child process, since Twisted's reactor starts only once in a process."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Self

from focuscrawl.api.channel import Request, received_failure
from focuscrawl.api.pages import Topic, load_topic
from focuscrawl.api.runs import CrawlRun
from focuscrawl.api.setting_text import setting_text
from focuscrawl.errors import ConfigError, FocusCrawlError
from focuscrawl.own_command import own_command, own_environment
from focuscrawl.storage.run import CRAWLS, RunFolder, holds_run
from focuscrawl.topic.seeds import checked

if TYPE_CHECKING:
    from types import TracebackType

    from focuscrawl.records import PageRecord

_LAST_LINES = 5  # of what a process said that ended without a reason of its own
_MAX_ARGUMENT = 65_536  # bytes of a list of seeds that is an argument of the process; systems take 131,071


class Crawl:
    """A crawl to be started, that runs, or has ended.

    As ``async with focuscrawl.Crawl("tea.toml") as crawl`` it runs beside the block, which ends when the crawl does;
    an exception in the block stops the crawl, and so does a cancellation while its end waits. Without asyncio there is
    `focuscrawl.crawl`.

    Parameters
    ----------
    topic
        Topic file, name of a topic that comes with the package, or a loaded topic; None for a run that goes on.
    pages, minutes, relevant
        Stop after so many fetched pages, minutes, relevant pages; 0: never, None: as the topic file says.
    seeds
        URLs to begin with in the place of the topic's, at least one; None: the topic's.
    strategy
        Name of a strategy; '' for the topic's.
    run
        Run folder; a crawl that is in it goes on. Without one a folder is made below ``crawls/``.
    settings
        Settings of the crawl or of Scrapy. Values may be paths and classes of modules, too; None is an empty one.
    quiet
        Write no progress to standard error.
    """

    def __init__(
        self,
        topic: Topic | str | Path | None = None,
        *,
        pages: int | None = None,
        minutes: float | None = None,
        relevant: int | None = None,
        seeds: Sequence[str] | None = None,
        strategy: str = "",
        run: str | Path | None = None,
        settings: Mapping[str, object] | None = None,
        quiet: bool = False,
    ) -> None:
        if topic is None and run is None:
            raise ConfigError("A crawl needs a topic, or the run folder of one that goes on: topic= or run=.")
        if isinstance(seeds, str):
            raise ConfigError(f"seeds={seeds!r}: expected a list of URLs.")
        self.topic = topic if isinstance(topic, Topic) or topic is None else load_topic(topic)
        limits = {"pages": pages, "minutes": minutes, "relevant": relevant}
        self._arguments = {name: str(value) for name, value in limits.items() if value is not None}
        if strategy:
            self._arguments["strategy"] = strategy
        self._seeds = () if seeds is None else tuple(checked(map(str, seeds), "seeds"))
        if seeds is not None and not self._seeds:
            raise ConfigError("seeds is empty: expected a list of URLs; leave it out for the topic's.")
        self._settings = {name: setting_text(name, value) for name, value in (settings or {}).items()}
        self._quiet = quiet
        self._wanted_run = Path(run) if run is not None else None
        self._run: CrawlRun | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: socket.socket | None = None
        self._open = ExitStack()
        self._said: deque[str] = deque(maxlen=_LAST_LINES)
        self._closing = Lock()  # several threads may wait
        self._failure: FocusCrawlError | None = None

    @property
    def run(self) -> CrawlRun:
        """The run; known once the crawl has started.

        Raises
        ------
        ConfigError
            If it has not.
        """
        if self._run is None:
            raise ConfigError("The crawl has not started: use `async with`, or call start().")
        return self._run

    def pages(self, *, every: bool = False) -> Iterator[PageRecord]:
        """Yield the results stored so far, or with `every` all fetched pages; none while the crawl begins."""
        return self.run.pages(every=every)

    def start(self) -> None:
        """Start the process of the crawl; one that cannot begin is reported by `wait`.

        Raises
        ------
        ConfigError
            If it has been started already.
        """
        if self._process is not None:
            raise ConfigError("The crawl has been started already.")
        self._run = CrawlRun(self._folder(), runs=self._runs)
        arguments = {**self._arguments, "run": str(self._run.path)}
        if self.topic is not None:
            arguments["topic"] = self.topic.spec.reference
        if self._seeds:
            arguments["seeds"] = "\n".join(self._seeds)
        settings = [f"{name}={value}" for name, value in self._settings.items()]
        request = Request(arguments=arguments, settings=settings, seed_file="")
        if len(json.dumps(arguments.get("seeds", ""))) > _MAX_ARGUMENT:
            folder = self._open.enter_context(tempfile.TemporaryDirectory(prefix="focuscrawl-"))
            request["seed_file"] = str(Path(folder) / "seeds.txt")
            Path(request["seed_file"]).write_text(arguments.pop("seeds"), encoding="utf-8")
        ours, theirs = socket.socketpair()
        self._channel = self._open.enter_context(ours)
        # A terminal gets the line that is kept up to date; a notebook shows only what Python's own sys.stderr gets.
        direct = not self._quiet and sys.stderr is sys.__stderr__ and sys.stderr is not None and sys.stderr.isatty()
        with theirs:
            # A group of its own: Ctrl-C reaches it once, from `wait`.
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                [*own_command("focuscrawl.cli.child"), str(theirs.fileno()), json.dumps(request)],
                env=own_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=None if direct else subprocess.PIPE,
                pass_fds=[theirs.fileno()],
                process_group=0,
            )
        if not direct:
            reader = Thread(target=self._read_lines, daemon=True)
            reader.start()
            self._open.callback(reader.join)

    def wait(self) -> CrawlRun:
        """Return the run when the crawl has ended; Ctrl-C stops it in order and is raised afterwards.

        Raises
        ------
        FocusCrawlError
            If the crawl could not begin or failed, with the sentence that the command would print; at each call.
        """
        process = self._running()
        try:
            process.wait()
        except KeyboardInterrupt:
            self.stop()
            process.wait()
            self._close()
            raise
        if (failure := self._close()) is not None:
            raise failure
        return self.run

    def stop(self) -> None:
        """Ask the crawl to end in order: pages under way are processed, and the run can go on later.

        One that begins has to have begun for that. A crawl that has ended is left as it is.
        """
        self._running()
        with self._closing:
            if self._channel is not None:
                self._channel.shutdown(socket.SHUT_WR)  # no signal: one that comes before Scrapy listens would kill

    async def finished(self) -> CrawlRun:
        """Return the run when the crawl has ended, as `wait` does, while the event loop goes on."""
        process, loop, ended = self._running(), asyncio.get_running_loop(), asyncio.Event()

        def wait() -> None:
            process.wait()
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(ended.set)

        # A thread of its own: those that the loop shares are few, and it ends only once they have.
        Thread(target=wait, daemon=True).start()
        await ended.wait()
        return self.wait()

    async def __aenter__(self) -> Self:
        self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            await self._end()
            return
        try:
            await self.finished()
        except asyncio.CancelledError:  # Ctrl-C, or a time limit around the block: nobody waits for the crawl any more
            await self._end()
            raise

    async def _end(self) -> None:
        """Stop the crawl, and wait for it; what it failed for is not what ends the block."""
        self.stop()
        with suppress(FocusCrawlError):
            await self.finished()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise ConfigError("The crawl has not started: use `async with`, or call start().")
        return self._process

    def _runs(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _folder(self) -> Path:
        if self._wanted_run is not None:
            return self._wanted_run.absolute()
        assert self.topic is not None
        base = Path(self._settings.get("FOCUSCRAWL_CRAWLS", CRAWLS))
        return RunFolder.create(base, self.topic.name, now=datetime.now(UTC)).path.absolute()

    def _read_lines(self) -> None:
        process = self._running()
        assert process.stderr is not None
        with process.stderr as lines:
            for line in lines:
                text = line.decode("utf-8", "replace")
                self._said.append(text.strip())
                if not self._quiet and sys.stderr is not None:
                    sys.stderr.write(text)

    def _close(self) -> FocusCrawlError | None:
        """Free what the crawl has needed, once; return what has made it fail."""
        with self._closing:
            if self._channel is not None:
                with self._open:
                    failure = _all_of(self._channel)
                self._channel = None
                with suppress(OSError):
                    self.run.path.rmdir()  # empty, when the crawl could not begin
                code = self._running().returncode
                if failure:
                    self._failure = received_failure(failure)
                elif code:
                    self._failure = FocusCrawlError(self._why(code))
            return self._failure

    def _why(self, code: int) -> str:
        if holds_run(self.run.path):
            reason, detail = self.run.stopped
            if reason:
                return f"The crawl in {self.run.path} failed: {detail or reason}."
        said = f": {' '.join(self._said)}" if self._said else "."
        return f"The crawl in {self.run.path} ended with exit code {code}{said}"


def crawl(
    topic: Topic | str | Path | None = None,
    *,
    pages: int | None = None,
    minutes: float | None = None,
    relevant: int | None = None,
    seeds: Sequence[str] | None = None,
    strategy: str = "",
    run: str | Path | None = None,
    settings: Mapping[str, object] | None = None,
    quiet: bool = False,
) -> CrawlRun:
    """Crawl to the end and return the run; the parameters are those of `Crawl`.

    It can be called again and again, and in a notebook too, where the cell waits.

    Raises
    ------
    FocusCrawlError
        If the crawl could not begin or failed, with the sentence that the command would print.
    """
    started = Crawl(
        topic,
        pages=pages,
        minutes=minutes,
        relevant=relevant,
        seeds=seeds,
        strategy=strategy,
        run=run,
        settings=settings,
        quiet=quiet,
    )
    started.start()
    return started.wait()


def _all_of(channel: socket.socket) -> bytes:
    parts = []
    while part := channel.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)
