from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.text.normalize import _LONG_MARKS, collapse, fold, nfc, nfkc


@given(st.text(max_size=40))
@settings(deadline=None)  # other work on the machine is no fault of ours
def test_nfkc_agrees_with_the_standard_library(text: str) -> None:
    assert nfkc(text) == unicodedata.normalize("NFKC", text)
    assert nfc(text) == unicodedata.normalize("NFC", text)


@given(st.text(st.sampled_from("，：（）　\xa0…＝ａé\u0301\u0338ﾊﾞ中か\u3099"), max_size=12))
@settings(deadline=None)  # other work on the machine is no fault of ours
def test_nfkc_agrees_on_what_it_treats_apart(text: str) -> None:
    assert nfkc(text) == unicodedata.normalize("NFKC", text)


def test_fold_gives_plain_lower_case() -> None:
    assert fold("ＷＥＢ　Ｃｒａｗｌｅｒ：①ﬁ") == "web crawler:1fi"


def test_collapse() -> None:
    assert collapse(" a \n\t b\u3000c ") == "a b c"


@pytest.mark.parametrize("unit", ["\u0301\u0323", "\u0323\u0301", "a\u0301", "ａ", "，中"])
def test_hostile_marks_take_linear_time(unit: str) -> None:
    start = time.process_time()
    nfkc("x" + unit * 250_000)
    nfc("x" + unit * 250_000)
    assert time.process_time() - start < 5  # sorting half a million marks by insertion takes an hour


def test_long_runs_of_marks_keep_thirty() -> None:
    assert len(nfkc("Ａ" + "\u0323\u0301" * 5000)) <= 31
    assert len(nfc("A" + "\u0323\u0301" * 5000)) <= 31


def test_every_combining_character_counts_as_a_mark() -> None:
    marks = [chr(code) for code in range(0x300, 0x10000) if unicodedata.combining(chr(code))]
    assert len(marks) > 400
    assert [hex(ord(mark)) for mark in marks if not _LONG_MARKS.fullmatch(mark * 31)] == []
