from __future__ import annotations

import pytest

from focuscrawl.text.quantity import is_quantity, is_telling


@pytest.mark.parametrize(
    "word", ["28th", "1999", "10km", "一百五十元", "两百元", "几百张", "第一天", "四元", "星期一", "october", "sat"]
)
def test_numbers_amounts_and_dates(word: str) -> None:
    assert is_quantity(word)
    assert not is_telling(word)


@pytest.mark.parametrize(
    "word", ["九寨沟", "三亚", "四川", "百度", "三国", "一起", "三角", "3d", "x86", "march", "旅行", "python"]
)
def test_words_that_only_hold_a_number(word: str) -> None:
    assert not is_quantity(word)
    assert is_telling(word)


def test_a_single_chinese_character_tells_nothing_and_a_letter_may() -> None:
    assert not is_telling("山")
    assert is_telling("c")
