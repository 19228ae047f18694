"""Word lists: shipped and kept ones have the numbers of made ones, and nothing in the folder is trusted.

``python tests/unit/text/test_word_lists.py`` makes the shipped ones anew, after a change of what cuts or stems words.
"""

from __future__ import annotations

import gzip
import json
import logging
import subprocess
import sys
from collections.abc import Mapping
from math import exp, log
from pathlib import Path

import pytest
from wordfreq.numbers import digit_freq

from focuscrawl.errors import ConfigError
from focuscrawl.text import background, tokenize, word_lists
from focuscrawl.text.word_lists import RAREST_IDF, cache_folder, idf_of_probability, word_list

SHIPPED = (("en", False), ("zh", True))
make_list = word_lists.made_list
BUCKETS = [[] for _ in range(200)] + [["water", "waters", "年"], ["0000", "水"]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(word_lists, "_buckets", lambda _: BUCKETS)
    return tmp_path / "focuscrawl"


def test_a_kept_list_is_the_made_one(folder: Path) -> None:
    made = make_list("ja", han=True)
    [kept] = folder.iterdir()
    assert make_list("ja", han=True) == made == json.loads(kept.read_text())


@pytest.mark.parametrize("content", [b"", b"[1.0]", b'{"water": "x"}', b'{"water": 1', b"{}", b"\xff\xfe"])
def test_a_damaged_list_is_made_anew(folder: Path, content: bytes) -> None:
    made = make_list("ja", han=True)
    [kept] = folder.iterdir()
    sound = kept.read_bytes()
    kept.write_bytes(content)
    assert make_list("ja", han=True) == made
    assert kept.read_bytes() == sound


def test_without_a_folder_to_write_to_lists_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "focuscrawl").write_text("a file in the place of the folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(word_lists, "_buckets", lambda _: BUCKETS)
    assert make_list("ja", han=True)["年"] == idf_of_probability(0.01)


def test_a_relative_cache_folder_is_ignored_as_the_standard_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    assert cache_folder() == Path.home() / ".cache" / "focuscrawl"


def test_a_list_of_another_version_has_another_name(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_list("ja", han=True)
    monkeypatch.setattr(word_lists, "version", lambda _: "0.0")
    word_lists._version.cache_clear()
    make_list("ja", han=True)
    word_lists._version.cache_clear()
    assert len(list(folder.iterdir())) == 2


def test_numbers_share_the_probability_of_their_shape(folder: Path) -> None:
    made = make_list("en", han=False)
    share = 10**-2.01 * digit_freq("1987")
    assert made["1987"] == pytest.approx(-log(1 - exp(-400 * share)), rel=1e-9)
    assert made["water"] == pytest.approx(-log(1 - exp(-400 * 0.02)), rel=1e-9)
    assert "年" not in made
    assert len(list(folder.iterdir())) == 1


def test_numbers_of_more_digits_are_all_among_the_rarest() -> None:
    shape = word_list("en", han=False)["00000"]
    probability = -log(1 - exp(-shape)) / 400
    assert idf_of_probability(probability * max(digit_freq(f"{first}0000") for first in range(10))) >= RAREST_IDF


def test_english_and_chinese_need_no_wordfreq(folder: Path) -> None:
    code = (
        "import sys; sys.modules['wordfreq'] = None;"
        "from focuscrawl.text.background import background_idf as b;"
        "assert 0 < b('en').idf('water') < b('en').idf('1987') < 10.2; assert 0 < b('zh').idf('我们') < 2"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("", "")
    assert not folder.exists()


@pytest.mark.parametrize(("language", "han"), SHIPPED)
def test_a_shipped_list_is_the_one_made_today(
    language: str, han: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert word_list(language, han=han) == make_list(language, han=han), "made anew by: python " + __file__


def test_a_language_without_its_list_is_named(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(word_lists, "listed_languages", lambda: frozenset({"en", "zh"}))
    monkeypatch.setattr(background, "listed_languages", lambda: frozenset({"en", "zh"}))
    monkeypatch.setattr(background, "has_wordfreq", lambda: False)
    with caplog.at_level(logging.WARNING):
        for language in ("en", "zh-TW", "auto"):
            background.warn_of_missing_list(language)
        german, japanese = background.Background("de"), background.Background("ja")
        assert not caplog.messages, "a page in another language than the topic's is no reason to warn"
        for language in ("de", "ja"):
            background.warn_of_missing_list(language)
    assert [message.split(":")[0] for message in caplog.messages] == ['language = "de"', 'language = "ja"']
    assert "pip install 'focuscrawl[languages]'" in caplog.text
    assert german.idf("water") == background.Background("en").idf("water")
    assert japanese.idf("我们") == background.Background("zh").idf("我们")


def test_a_tokenizer_that_is_not_installed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenize, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"focuscrawl\[jieba\]"):
        tokenize.make_tokenizer("zh", name="jieba")


def _shipped_text(numbers: Mapping[str, float]) -> str:
    """Return a list as it is shipped: a line for each idf, which is followed by the words that have it."""
    words: dict[float, list[str]] = {}
    for word, idf in numbers.items():
        words.setdefault(idf, []).append(word)
    return "".join(f"{idf!r} {' '.join(sorted(words[idf]))}\n" for idf in sorted(words))


if __name__ == "__main__":
    for name, chinese in SHIPPED:
        text = _shipped_text(make_list(name, han=chinese))
        target = Path(word_lists.__file__).parent / f"words-{name}.txt.gz"
        target.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
