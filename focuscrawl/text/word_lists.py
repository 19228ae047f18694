"""Word lists of languages as token -> idf: the English and the Chinese one ship, others come from `wordfreq`.

The two are made from the data of that package (``words-*.txt.gz``, terms in ``LICENSE-words.txt``), which itself weighs
60 MB and is an extra, `languages`. A list made from it takes a second of CPU, and is kept in the user's cache folder,
named after the versions of `wordfreq` and of the modules here that shape it, so that a list of another version is never
read. Where the folder cannot be written, each process makes its lists anew.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from importlib.resources import files
from importlib.util import find_spec
from itertools import product
from math import expm1, log
from pathlib import Path

from focuscrawl.atomic_file import replacement
from focuscrawl.text.simplified import simplified
from focuscrawl.text.stem import s_stem
from focuscrawl.text.tokenize import is_han, make_tokenizer, stemming_of

DOCUMENT_TOKENS = 400
"""Length of the typical document that document frequencies speak of: the main text of an article."""
_RAREST_CENTIBEL = 700
"""One in ten million: at 400 tokens a document, a word in 25,000 documents. In the lists, what is rarer is mostly
names, misspellings and numbers."""
_NUMBER_DIGITS = 4
"""Longer numbers are all rarer than one in ten million."""
_SHIPPED = frozenset({("en", False), ("zh", True)})
_SHAPING = (
    "word_lists.py",
    "stem.py",
    "tokenize.py",
    "normalize.py",
    "simplified.py",
    "simplified-zh.txt",
    "scripts.py",
)

Numbers = Mapping[str, float]


def idf_of_probability(probability: float) -> float:
    """Return -ln of the share of documents of 400 tokens that hold a word of this probability, 1 - exp(-400 p)."""
    return -log(-expm1(-DOCUMENT_TOKENS * probability)) if probability > 0.0 else RAREST_IDF


RAREST_IDF = -log(-expm1(-DOCUMENT_TOKENS * 10.0 ** (-_RAREST_CENTIBEL / 100)))


@cache
def listed_languages() -> frozenset[str]:
    """Return the languages that have a list, as primary BCP-47 tags: English, Chinese, and those of `wordfreq`."""
    shipped = frozenset(language for language, _ in _SHIPPED)
    return shipped | frozenset(_kept("languages", _languages)) if has_wordfreq() else shipped


def has_wordfreq() -> bool:
    """Tell whether the extra with the lists of other languages is installed, without loading it."""
    return find_spec("wordfreq") is not None


@cache
def word_list(language: str, *, han: bool) -> Mapping[str, float]:
    """Return token -> idf, of Chinese words only with `han`, else without them; read-only, shared.

    Words are cut and stemmed as the tokenizers do, and the probabilities of equal ones added.
    """
    if (language, han) in _SHIPPED:
        return _shipped(language)
    return made_list(language, han=han)


def made_list(language: str, *, han: bool) -> Mapping[str, float]:
    """Return a list as `word_list`, from `wordfreq`."""
    return _kept(f"{language}-han" if han else language, lambda: (_han_words if han else _other_words)(language))


def _shipped(language: str) -> Numbers:
    """Return a list that is shipped: a line for each idf, which is followed by the words that have it."""
    packed = (files("focuscrawl.text") / f"words-{language}.txt.gz").read_bytes()
    found: dict[str, float] = {}
    for line in gzip.decompress(packed).decode().splitlines():
        idf, *words = line.split(" ")
        found.update(dict.fromkeys(words, float(idf)))
    return found


def cache_folder() -> Path | None:
    """Return the folder of the lists: below XDG_CACHE_HOME or ~/.cache, None where there is no home folder."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    if given and Path(given).is_absolute():
        return Path(given) / "focuscrawl"
    try:
        return Path.home() / ".cache" / "focuscrawl"
    except RuntimeError:
        return None


def _kept(name: str, make: Callable[[], Numbers]) -> Numbers:
    """Return the list `name` from the cache folder; a list that is missing or damaged is made, and kept."""
    folder = cache_folder()
    if folder is None:
        return make()
    path = folder / f"words-{name}-{_version()}.json"
    with suppress(OSError, ValueError):  # missing, unreadable, damaged
        found = json.loads(path.read_bytes())
        if isinstance(found, dict) and found and all(type(value) is float for value in found.values()):
            return found
    made = make()
    with suppress(OSError):  # no room, no right: the next process makes it, too
        folder.mkdir(parents=True, exist_ok=True)
        with replacement(path) as file:
            file.write(json.dumps(dict(made), ensure_ascii=False).encode("utf-8", "surrogatepass"))
    return made


@cache
def _version() -> str:
    digest = blake2b(version("wordfreq").encode(), digest_size=6)
    for module in _SHAPING:
        digest.update((files("focuscrawl.text") / module).read_bytes())
    return digest.hexdigest()


def _languages() -> Numbers:
    from wordfreq import available_languages

    return dict.fromkeys(available_languages("best"), 1.0)


def _buckets(language: str) -> list[list[str]]:
    """Return the words of a language by -100 log10 of their probability."""
    from wordfreq import get_frequency_list

    # Without wordfreq's own cache, which would keep all 300,000 words of the list in memory for good.
    buckets: list[list[str]] = get_frequency_list.__wrapped__(language, "best")
    return buckets[: _RAREST_CENTIBEL + 1]


def _han_words(language: str) -> Numbers:
    probability: dict[str, float] = {}
    for centibel, bucket in enumerate(_buckets(language)):
        share = 10.0 ** (-centibel / 100)
        for word in bucket:
            if is_han(word[:1]):
                token = simplified(word)
                probability[token] = probability.get(token, 0.0) + share
    return {token: idf_of_probability(share) for token, share in probability.items()}


def _other_words(language: str) -> Numbers:
    tokenizer = make_tokenizer(language, name="words")
    stemmed = stemming_of(language) == "s"
    probability: dict[str, float] = {}
    for centibel, bucket in enumerate(_buckets(language)):
        share = 10.0 ** (-centibel / 100)
        for word in bucket:
            plain = word.isalnum() and word.isascii()
            for token in (s_stem(word) if stemmed else word,) if plain else tokenizer.tokens(word):
                probability[token] = probability.get(token, 0.0) + share
    found = {token: idf_of_probability(share) for token, share in probability.items() if not is_han(token[:1])}
    return _numbers(probability) | found


def _numbers(probability: Mapping[str, float]) -> dict[str, float]:
    """Return the idf of numbers: the lists hold them by their number of digits only, which is shared out here."""
    from wordfreq.numbers import digit_freq

    found: dict[str, float] = {}
    for digits in range(1, _NUMBER_DIGITS + 1):
        shape = probability.get("0" * digits, 0.0)
        for number in map("".join, product("0123456789", repeat=digits)):
            idf = idf_of_probability(shape * digit_freq(number))
            if idf < RAREST_IDF:
                found[number] = idf
    return found
