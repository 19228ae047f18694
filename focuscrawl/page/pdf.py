"""Text, title and links of PDF files, read by a process of its own within bounds, through the package pypdf."""

from __future__ import annotations

import importlib.util
import json
import signal
import threading
from codecs import BOM_UTF8
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from focuscrawl.child_process import ChildClosedError, ChildProcess
from focuscrawl.errors import FocusCrawlError

EXTRA = "pdf"
"""The extra of this project that installs pypdf."""
MOST_PAGES = 30
"""Pages that are read of a sample: it needs the first few; a book has hundreds."""
MOST_CHARS = 50_000
"""Characters that are read of a sample."""
_MARK = b"%PDF-"
_MARK_WITHIN = 1024  # bytes; readers take a file that has it there (ISO 32000-1, annex H.3.4.1)
_CHILD = Path(__file__).with_name("pdf_child.py")
_MEMORY_BYTES = 1 << 30
# A stranger's file may leave something behind in the process that read it.
_FILES_A_PROCESS = 200


class PdfError(FocusCrawlError):
    """A PDF that gives no text; the sentence says why.

    Parameters
    ----------
    advice
        What to do, as the rest of the sentence.
    """

    def __init__(self, why: str, *, advice: str = "") -> None:
        super().__init__(why)
        self.advice = advice


@dataclass(frozen=True, slots=True)
class PdfLink:
    """A place of a page that leads somewhere."""

    url: str
    text: str  # that stands there, '' when it cannot be told


@dataclass(frozen=True, slots=True)
class PdfPage:
    """A page of a PDF."""

    text: str
    links: tuple[PdfLink, ...] = ()


@dataclass(frozen=True, slots=True)
class PdfText:
    """Text of a PDF, as far as it was read."""

    title: str
    pages: tuple[PdfPage, ...]

    @property
    def text(self) -> str:
        """All pages, a line end between them."""
        return "\n".join(page.text for page in self.pages)


def is_pdf(content: bytes) -> bool:
    """Tell whether a file is a PDF by how it begins; a page of HTML may speak of PDFs there."""
    head = content[:_MARK_WITHIN]
    return _MARK in head and not head.removeprefix(BOM_UTF8).lstrip().startswith(b"<")


def check_pdf_extra(who: str) -> None:
    """Raise `PdfError` when pypdf is not installed; `who` needs it."""
    if importlib.util.find_spec("pypdf") is None:
        raise PdfError(f"{who}: reading PDFs needs the package pypdf: pip install 'focuscrawl[{EXTRA}]'.")


class PdfReader:
    """Reads PDFs one after another in a process that is started when the first one comes.

    Calls block, and may come from several threads. A process that was ended for one file is replaced for the next.

    Parameters
    ----------
    pages, chars
        That are read of a file, at most.
    cpu_s
        Seconds of processor time a file may take; 0 is no limit but two minutes of real time.
    memory_bytes
        Of the process, all it maps.
    """

    def __init__(
        self,
        *,
        pages: int = MOST_PAGES,
        chars: int = MOST_CHARS,
        cpu_s: float = 10.0,
        memory_bytes: int = _MEMORY_BYTES,
    ) -> None:
        self.pages = pages
        self.chars = chars
        self.cpu_s = cpu_s
        self.memory_bytes = memory_bytes
        self._lock = threading.Lock()
        self._child = ChildProcess(_CHILD, quiet=True)
        self._files = 0

    def __enter__(self) -> PdfReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def read(self, content: bytes) -> PdfText:
        """Return what a PDF says.

        Raises
        ------
        PdfError
            If it is damaged, encrypted, without text (a scan), or takes more than it may; the sentence has no subject.
        """
        with self._lock:
            answer = self._ask(content)
        fault = answer.get("fault")
        if fault is not None:
            raise PdfError(
                _SENTENCES[fault].format(why=answer.get("why", ""), cpu=self.cpu_s), advice=_ADVICE.get(fault, "")
            )
        pages = tuple(
            PdfPage(page["text"], tuple(PdfLink(url, text) for url, text in page["links"])) for page in answer["pages"]
        )
        found = PdfText(" ".join(answer["title"].split()), pages)
        if not found.text.strip():
            raise PdfError(_SENTENCES["scan"], advice=_ADVICE["scan"])
        return found

    def close(self) -> None:
        """End the process; a file that is being read then fails, as all later ones. Closing twice is fine."""
        self._child.close()
        with self._lock:
            self._child.end()

    def _ask(self, content: bytes) -> dict[str, Any]:
        if self._files >= _FILES_A_PROCESS:
            self._child.end()
        request = {
            "size": len(content),
            "pages": self.pages,
            "chars": self.chars,
            "cpu_s": self.cpu_s,
            "memory_bytes": self.memory_bytes,
        }

        def talk(requests: IO[bytes], answers: IO[bytes]) -> bytes:
            requests.write(json.dumps(request).encode() + b"\n")
            requests.write(content)
            requests.flush()
            return answers.readline()

        for _ in range(2):  # a process that waited may have been ended by somebody else
            if self._child.process is None:
                self._files = 0
            self._files += 1
            try:
                line = self._child.exchange(talk)
            except ChildClosedError:
                break
            except BrokenPipeError:
                self._child.end()
                continue
            if line.endswith(b"\n"):
                answer: dict[str, Any] = json.loads(line)
                if answer.get("fault") == "memory":
                    self._child.end()
                return answer
            return {"fault": "cpu" if self._child.end() == -signal.SIGXCPU else "ended"}
        self._child.end()
        return {"fault": "ended"}


def pdf_text(content: bytes, name: str) -> tuple[str, str]:
    """Return title and text of a PDF: of at most 30 pages and about 50,000 characters.

    Parameters
    ----------
    name
        For messages.

    Raises
    ------
    PdfError
        If pypdf is not installed, or the file gives no text (`PdfReader.read`).
    """
    check_pdf_extra(name)
    with PdfReader() as reader:
        try:
            found = reader.read(content)
        except PdfError as error:
            raise PdfError(f"{name}: {error}{error.advice}.") from error
    return found.title, found.text


_SENTENCES = {
    "encrypted": "encrypted PDF",
    "damaged": "damaged PDF: {why}",
    "scan": "a PDF without text, perhaps scanned pages",
    "memory": "a PDF that takes more memory than it may",
    "cpu": "a PDF that takes more than {cpu:g} s of processor time",
    "ended": "a PDF that takes too long, or ends its reader",
    "no pypdf": f"a PDF, and the package pypdf is not there: pip install 'focuscrawl[{EXTRA}]'",
}
_ADVICE = {
    "encrypted": "; save a copy without a password",
    "scan": "; give a file with text",
}
