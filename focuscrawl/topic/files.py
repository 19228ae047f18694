"""Finding and reading what a topic consists of: the topic file, its sample files, its seed lists."""

from __future__ import annotations

import glob
import itertools
import os
import shlex
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import focuscrawl
from focuscrawl.errors import TopicError
from focuscrawl.topic.faults import did_you_mean

SUFFIX = ".toml"
EXAMPLES_SUFFIX = ".examples.toml"
"""What the file of examples of a topic is called, after the topic file's name."""
HTML_SUFFIXES = (".html", ".htm", ".xhtml")
_MAX_FILE_BYTES = 16 * 1024 * 1024  # a decoded page may have that much; a sample is a page or a text
_MAX_SAMPLES = 1_000  # files of one pattern; a model needs some dozens, and "**" can match a whole disk
SEED_FOLDER = "seeds"
"""Name of the folder beside a topic's folder whose files a topic may name, too."""
# Characters that stand in almost every Chinese text, to tell the two old encodings apart.
_COMMON_CHINESE = frozenset("的一是在不了有和人这中大为上个国我以要他时来用們这這為個國時來說")
# First bytes of the rows of punctuation and of the commonest signs.
_GBK_COMMON_LEADS = range(0xA1, 0xD8)  # GB 2312, rows 1 to 55: 3,755 signs of the first level
_GBK_LEAST_COMMON_TRAIL = 0xA1
_BIG5_COMMON_LEADS = range(0xA1, 0xC7)  # 5,401 signs of the first level


@dataclass(frozen=True, slots=True)
class Sample:
    """One example text of a topic.

    Parameters
    ----------
    kind
        "relevant" or "irrelevant".
    path
        The file, or None for a text that stands in the topic file itself.
    text
        Its text; "" for HTML files.
    html
        The raw bytes of an HTML file, which has to be extracted first; else None.
    name
        Name of a text of the taxonomy ("R2/1"); else "".
    """

    kind: str
    path: Path | None
    text: str = ""
    html: bytes | None = None
    name: str = ""


def display(path: Path) -> str:
    """Return `path` as people will recognise it: relative to the current directory when it is below it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)


def read_bytes(path: Path) -> bytes:
    """Return the content of a regular file of at most 16 MB, or raise TopicError with one sentence on why not."""
    try:
        # A named pipe would block until somebody writes to it; a device such as /dev/zero has no end.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            mode = os.fstat(handle).st_mode
            if stat.S_ISDIR(mode):
                raise TopicError([f"{display(path)}: is a directory; a file was expected"])
            if not stat.S_ISREG(mode):
                raise TopicError([f"{display(path)}: is a device or a pipe; a file was expected"])
            content = _read_at_most(handle, _MAX_FILE_BYTES + 1)
        finally:
            os.close(handle)
    except FileNotFoundError as error:
        raise TopicError([f"{display(path)}: there is no such file"]) from error
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise TopicError([f"{display(path)}: cannot be read: {reason}"]) from error
    if len(content) > _MAX_FILE_BYTES:
        raise TopicError([f"{display(path)}: has more than {_MAX_FILE_BYTES >> 20} MB; a smaller file was expected"])
    return content


def _read_at_most(handle: int, limit: int) -> bytes:
    """Return up to `limit` bytes; the size is checked while reading, since a file may grow or lie about it."""
    parts: list[bytes] = []
    left = limit
    while left > 0 and (part := os.read(handle, min(left, 1 << 20))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def is_inside(path: Path, base: Path) -> bool:
    """Tell whether a topic in the folder `base` may name the file `path`.

    Links are followed first. Allowed are the folder of the topic and the folder ``seeds`` beside it: a topic file from
    a stranger must not read other files of this machine into a crawl.
    """
    target, home = path.resolve(), base.resolve()
    return target.is_relative_to(home) or target.is_relative_to(home.parent / SEED_FOLDER)


OUTSIDE = "is outside the topic's folder; copy it there, or allow it (--allow-outside, FOCUSCRAWL_ALLOW_OUTSIDE)"
"""What is wrong with a file that `is_inside` turns down."""


def read_text(path: Path) -> str:
    """Return a UTF-8 file's text (a byte order mark is dropped), or raise TopicError that names the encoding it has."""
    content = read_bytes(path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        encoding = _encoding_of(content)
        raise TopicError(
            [f"{display(path)}: line {line} is not UTF-8; the file looks like {encoding}: save it as UTF-8"]
        ) from error
    if "\0" in text:
        if _is_utf16(content):
            raise TopicError([f"{display(path)}: is not a text in UTF-8; it looks like UTF-16: save it as UTF-8"])
        line = content.count(b"\n", 0, content.index(0)) + 1
        raise TopicError(
            [
                f"{display(path)}: line {line} has a NUL byte ({content.count(0):,} in all), and a text in UTF-8 has"
                " none; take them out, or name another file if this one is no text"
            ]
        )
    return text


def _is_utf16(content: bytes) -> bool:
    start = content[:4096]
    return content.startswith((b"\xff\xfe", b"\xfe\xff")) or start.count(0) > len(start) // 4


def _encoding_of(content: bytes) -> str:
    if _is_utf16(content):
        return "UTF-16"
    if 0 in content[:4096]:
        return "binary data"
    scores = {
        name: share
        for encoding, name, common in (
            ("gb18030", "GBK (GB18030)", _GBK_COMMON_LEADS),
            ("big5", "Big5", _BIG5_COMMON_LEADS),
        )
        if (share := _common_share(content, encoding, common)) > 0.5
    }
    best = max(scores.values(), default=0.0)
    return " or ".join(name for name in scores if scores[name] > best - 0.1) or "Latin-1 or another old encoding"


def _common_share(content: bytes, encoding: str, leads: range) -> float:
    """Return the share of common signs among the foreign ones, were the text in a Chinese encoding; 0 if it is not.

    Both encodings have the commonest signs and the punctuation in rows of their own, by the first byte; an accented
    letter of Latin-1 and the letter after it form a sign of another row. Some signs are so common that a text of more
    than a few words has them, which decides between the two.
    """
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        return 0.0
    foreign = [char for char in text if char > "\x7f"]
    common = 0.0
    for char in foreign:
        code = char.encode(encoding)
        common += code[0] in leads and (encoding == "big5" or code[1] >= _GBK_LEAST_COMMON_TRAIL)
        common += 0.5 * (char in _COMMON_CHINESE)
    return common / len(foreign) if foreign else 0.0


def load_samples(pattern: str, *, kind: str, base: Path, allow_outside: bool = False) -> list[Sample]:
    """Return the samples of the files that match `pattern` (relative to `base`), in order of their names.

    Raises
    ------
    TopicError
        If nothing matches, or a file cannot be read, holds no text, or is outside `base` without `allow_outside`; one
        fault for each file.
    """
    samples = []
    faults: list[str] = []
    for path in _matches(pattern, base):
        if not allow_outside and not is_inside(path, base):
            faults.append(f"{display(path)}: {OUTSIDE}")
            continue
        try:
            if path.suffix.lower() in HTML_SUFFIXES:
                sample = Sample(kind, path, html=read_bytes(path))
            else:
                sample = Sample(kind, path, text=read_text(path))
        except TopicError as error:
            faults.extend(error.faults)
            continue
        if not (sample.text.strip() or (sample.html or b"").strip()):
            faults.append(f"{display(path)}: is empty; a sample text was expected")
        samples.append(sample)
    if faults:
        raise TopicError(faults)
    return samples


def _matches(pattern: str, base: Path) -> list[Path]:
    try:
        found = glob.iglob(os.path.join(glob.escape(str(base)), pattern), recursive=True)
        names = list(itertools.islice((name for name in found if not os.path.isdir(name)), _MAX_SAMPLES + 1))
    except RecursionError as error:
        raise TopicError(["has too many folders in it; a pattern such as samples/*.txt was expected"]) from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise TopicError([f"cannot be looked up: {reason}"]) from error
    if not names:
        raise TopicError([f"no file matches, seen from {display(base)}{os.sep}"])
    if len(names) > _MAX_SAMPLES:
        raise TopicError([f"matches more than {_MAX_SAMPLES:,} files; a narrower pattern was expected"])
    return [Path(name) for name in sorted(names)]


def package_folder() -> Path:
    """Return the folder of the installed package, or of the checkout's; nothing of the user's is written into it."""
    return Path(focuscrawl.__file__).resolve().parent


def shipped_topics() -> Path | None:
    """Return the folder of the topics that come with the package: inside the installed one, or of the checkout."""
    package = package_folder()
    for folder in (package / "shipped" / "topics", package.parent / "topics"):
        if folder.is_dir():
            return folder
    return None


def topic_folders(search: Sequence[Path] = ()) -> list[Path]:
    """Return the folders a topic's name is looked up in, first match wins.

    Those of `search`, `topics` in the current directory, `topics` of the Scrapy project around it (the nearest parent
    with a scrapy.cfg), and those that come with the package.
    """
    here = Path.cwd()
    folders = [*search, here / "topics"]
    folders += [folder / "topics" for folder in _projects()]
    shipped = shipped_topics()
    if shipped is not None:
        folders.append(shipped)
    unique = {folder.resolve(): folder for folder in reversed(folders) if folder.is_dir()}
    return list(reversed(unique.values()))


def from_project(name: str) -> Path:
    """Return a file that a setting names: a relative path from the current directory, else from the project around it.

    What is in neither of them stays as it is, and so does a word alone, such as ``wordnet`` or the name of a program.
    """
    path = Path(name)
    if name != path.stem and not path.is_absolute() and not os.path.isfile(path):
        for folder in _projects():
            if os.path.isfile(folder / path):
                return folder / path
    return path


def _projects() -> list[Path]:
    """Return the folder of the Scrapy project that the current directory is in, if it is in one."""
    here = Path.cwd()
    return [folder for folder in (here, *here.parents) if (folder / "scrapy.cfg").is_file()][:1]


def topic_files(search: Sequence[Path] = ()) -> Iterator[Path]:
    """Yield every topic file that can be named, each name once, in order of the names."""
    found: dict[str, Path] = {}
    for folder in topic_folders(search):
        for path in folder.glob(f"*{SUFFIX}"):
            if not path.name.endswith(EXAMPLES_SUFFIX):
                found.setdefault(path.stem, path)
    for name in sorted(found):
        yield found[name]


def find_topic(reference: str, *, search: Sequence[Path] = ()) -> Path:
    """Return the topic file meant by `reference`: a path, or a name in one of the topic folders.

    Raises
    ------
    TopicError
        If there is none; it names the folders looked in and the nearest name.
    """
    path = Path(reference)
    if reference.lower().startswith(("http://", "https://")):
        made_by = f"focuscrawl topic new --example {shlex.quote(reference)}"
        raise TopicError([f'topic "{reference}": is an address; a topic file was expected. To make one: {made_by}'])
    if os.path.isdir(reference):
        files = sorted(found.name for found in path.glob(f"*{SUFFIX}"))[:3]
        example = f", such as {path / files[0]}" if files else ""
        raise TopicError([f'topic "{reference}": is a folder; a topic file was expected{example}'])
    # os.path, not pathlib: a reference that is too long for a file name, or has a null character in it, is no file.
    if path.suffix == SUFFIX or os.sep in reference or os.path.isfile(reference):
        return from_project(reference)
    known = {found.stem: found for found in topic_files(search)}
    if reference in known:
        return known[reference]
    folders = ", ".join(f"{display(folder)}{os.sep}" for folder in topic_folders(search)) or "any topics/ folder"
    names = f"; known: {', '.join(known)}." if known else "."
    hint = did_you_mean(reference, known) or " To make one: focuscrawl topic new"
    raise TopicError([f'topic "{reference}": no such file, and no topic of that name in {folders}{names}{hint}'])
