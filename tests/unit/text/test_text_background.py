from __future__ import annotations

from math import exp, log

import pytest
from wordfreq import get_frequency_dict

from focuscrawl.text.background import RAREST_IDF, background_idf


def test_share_of_documents_follows_from_the_frequency() -> None:
    background = background_idf("zh")
    frequency = get_frequency_dict("zh")["网络"]
    assert background.df_share("网络") == pytest.approx(1 - exp(-400 * frequency))
    assert background.idf("网络") == pytest.approx(-log(background.df_share("网络")))


def test_plurals_count_with_their_singular() -> None:
    frequencies = get_frequency_dict("en")
    both = frequencies["telescope"] + frequencies["telescopes"]
    assert background_idf("en").df_share("telescope") >= 1 - exp(-400 * both) - 1e-12


def test_common_words_tell_little_and_unknown_ones_most() -> None:
    background = background_idf("auto")
    assert background.idf("the") < 0.01
    assert background.idf("的") < 0.01
    assert background.idf("the") < background.idf("water") < background.idf("telescope") < background.idf("qzxvw")
    assert background.idf("qzxvw") == background.idf("龘靐龘") == RAREST_IDF
    assert 0 < background.df_share("qzxvw") < 1e-4


def test_the_script_of_the_token_decides_the_list() -> None:
    assert background_idf("en").idf("网络") == background_idf("zh").idf("网络") == background_idf("auto").idf("网络")
    assert background_idf("zh").idf("water") == background_idf("en").idf("water")
    assert background_idf("de").idf("und") < 0.01 < background_idf("en").idf("und")


def test_chinese_words_are_never_looked_up_in_the_list_of_another_language() -> None:
    """The English list has 年, 月 and 日, as words that hardly any English text holds."""
    background = background_idf("zh-TW")
    background.idf("water")
    assert background.idf("年") < 0.3
    assert background.idf("年") == background_idf("zh").idf("年")


def test_numbers_and_odd_tokens_have_a_finite_idf() -> None:
    background = background_idf("en")
    assert background.idf("2019") < background.idf("12345678901234567890") <= RAREST_IDF
    for token in ("", "7", "٣٣", "1st", "\ud800"):
        assert 0 <= background.idf(token) <= RAREST_IDF


def test_unknown_languages_use_english_for_their_latin_words() -> None:
    assert background_idf("xx").idf("water") == background_idf("en").idf("water")


def test_one_object_a_language() -> None:
    assert background_idf("zh") is background_idf("zh")
