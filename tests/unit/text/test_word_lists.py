"""Kept word lists: the same numbers as made ones, and no trust in what lies in the folder."""

from __future__ import annotations

import json
import subprocess
import sys
from math import exp, log
from pathlib import Path

import pytest
from wordfreq.numbers import digit_freq

from focuscrawl.text import word_lists
from focuscrawl.text.word_lists import RAREST_IDF, cache_folder, idf_of_probability, word_list

make_list = word_list.__wrapped__
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


def test_a_kept_list_needs_no_wordfreq(folder: Path) -> None:
    make_list("en", han=False)
    word_lists.listed_languages.__wrapped__()
    code = (
        "import sys; from focuscrawl.text.background import background_idf as b;"
        "assert 0 < b('en').idf('water') < b('en').idf('1987') < 10.2; assert 'wordfreq' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert len(list(folder.iterdir())) == 2
