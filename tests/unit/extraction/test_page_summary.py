"""What a page is about: declared words as far as its text bears them out, then computed ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from focuscrawl.extraction.base import Extraction
from focuscrawl.extraction.page_summary import PageSummary, summarise
from focuscrawl.page.analysis import analyse
from focuscrawl.page.model import SiteWide
from focuscrawl.text.tokenize import make_tokenizer

TOKENIZER = make_tokenizer("auto")
TEXT = (
    "The lock keeper opened the lower gate at dawn. Two barges waited below the weir.\n\n"
    "By noon the chamber had filled, and the lock keeper wrote the water level into the book. The weir ran high."
)


def summarised(head: str, text: str = TEXT, language: str = "en") -> PageSummary:
    head = f"<head><title>The lower gate</title>{head}</head>"
    body = f"<html lang={language}>{head}<body><p>{text}</p></body></html>".encode()
    page = analyse(body, "http://canal.example/gate", tokenizer=TOKENIZER)
    return summarise(page, Extraction("given", text, title="The lower gate"), TOKENIZER)


def test_computed_when_nothing_is_declared() -> None:
    found = summarised("")
    assert set(found.keywords[:2]) == {"lock keeper", "weir"}
    assert found.text.startswith("The lock keeper opened the lower gate at dawn.")
    assert len(found.keywords) <= 10


def test_declared_words_come_first_when_the_text_has_them() -> None:
    found = summarised("<meta name=keywords content='barges, casino, Lock Keeper'>")
    assert found.keywords[:2] == ("barges", "Lock Keeper")
    assert "casino" not in found.keywords
    assert "lock keeper" not in found.keywords


def test_tags_that_the_page_shows_come_first_whether_the_text_has_them_or_not() -> None:
    page = analyse(f"<body><p>{TEXT}</p></body>".encode(), "http://canal.example/gate", tokenizer=TOKENIZER)
    found = Extraction("given", TEXT, title="The lower gate", tags=("Canals", "Lock Keeper"))
    words = summarise(page, found, TOKENIZER).keywords
    assert words[:2] == ("Canals", "Lock Keeper")
    assert "lock keeper" not in words


def test_keywords_that_the_site_declares_everywhere_do_not_come_first() -> None:
    html = f"<head><title>The lower gate</title><meta name=keywords content='barges, canals'></head><body><p>{TEXT}</p>"
    page = analyse(html.encode(), "http://canal.example/gate", tokenizer=TOKENIZER)
    found = Extraction("given", TEXT, title="The lower gate")
    assert summarise(page, found, TOKENIZER).keywords[0] == "barges"
    view = replace(page, site_wide=SiteWide(keywords=True))
    assert summarise(view, found, TOKENIZER).keywords == summarised("").keywords


def test_a_description_of_the_page_is_its_summary_and_one_of_the_site_is_not() -> None:
    own = "The keeper opened the lower gate while two barges waited."
    assert summarised(f"<meta name=description content='{own}'>").text == own
    site = "Canal talk is the largest community for boaters: news, forums, classifieds and more."
    assert summarised(f"<meta name=description content='{site}'>").text != site


def test_a_description_that_is_cut_within_a_sentence_of_the_text_loses_it() -> None:
    cut = "The lock keeper opened the lower gate at dawn. Two barges waited bel"
    assert (
        summarised(f"<meta name=description content='{cut}'>").text == "The lock keeper opened the lower gate at dawn."
    )
    short = "The lock keeper opened the lower gate at da"
    assert summarised(f"<meta name=description content='{short}'>").text.startswith(f"{short}wn.")
    text = "船闸看守人清晨打开下闸门。两艘驳船在堰下等候。到了中午闸室注满，看守人把水位写进日志。"
    assert summarised(f"<meta name=description content='{text[:31]}'>", text, "zh").text == text[:23]
    assert (
        summarised(f"<meta name=description content='{text[:22]}'>", text, "zh").text == text[:22]
    )  # only without a stop


@pytest.mark.parametrize("mark", ["…", " […]", "... Read more »", "&hellip; Continue reading →", "...阅读全文"])
def test_a_description_with_a_mark_that_it_is_cut_loses_the_last_sentence(mark: str) -> None:
    whole = "The lock keeper opened the lower gate at dawn."
    for cut in (f"{whole} Two barges waited bel", whole):
        assert summarised(f"<meta name=description content='{cut}{mark}'>").text == whole
    other = "At dawn the keeper of the lock waited below the gate"
    assert summarised(f"<meta name=description content='{other}{mark}'>").text == f"{other}…"


def test_a_description_that_the_site_declares_everywhere_is_no_summary() -> None:
    own = "The lock keeper opened the lower gate for two barges."
    html = f"<head><title>The lower gate</title><meta name=description content='{own}'></head><body><p>{TEXT}</p>"
    page = analyse(html.encode(), "http://canal.example/gate", tokenizer=TOKENIZER)
    found = Extraction("given", TEXT, title="The lower gate")
    assert summarise(page, found, TOKENIZER).text == own
    view = replace(page, site_wide=SiteWide(description=True))
    assert summarise(view, found, TOKENIZER).text == summarised("").text


def test_chinese() -> None:
    text = "船闸看守人清晨打开下闸门。两艘驳船在堰下等候。到了中午闸室注满，船闸看守人把水位写进日志。"
    found = summarised("", text, "zh")
    assert any("船闸" in word for word in found.keywords)
    assert found.text.startswith("船闸看守人清晨打开下闸门。")


def test_computed_words_are_shown_as_the_text_writes_them() -> None:
    text = "The series on movies began on the 28th. Movies and series, movies and series, the 28th, the 28th, the 28th."
    found = summarised("", text)
    assert {"series", "movies"} <= set(found.keywords)
    assert "28th" not in found.keywords


def test_amounts_and_slips_of_the_segmenter_are_no_keywords() -> None:
    text = "我们在丽江古城住了几天，客栈一百五十元一晚，丽江古城很美，客栈老板给我们讲了古城的历史。第一天爬了雪山。"
    found = summarised("", text * 2, language="zh")
    assert "客栈" in found.keywords
    assert not {"一百五十元", "几天", "第一天"} & set(found.keywords)


def test_keywords_are_in_the_script_of_the_text() -> None:
    text = "我們在麗江古城住了幾天，客棧一百五十元一晚，麗江古城很美，客棧老闆給我們講了古城的歷史。第一天爬了雪山。"
    found = summarised("", text * 2, language="zh-TW")
    assert "客棧" in found.keywords
    assert not {"客栈", "丽江", "一百五十元", "幾天"} & set(found.keywords)


def test_no_text_no_summary() -> None:
    page = analyse(b"<p>x</p>", "http://a.example/", tokenizer=TOKENIZER)
    assert summarise(page, None, TOKENIZER) == summarise(page, Extraction("given", " "), TOKENIZER) == PageSummary()


def test_words_of_code_and_addresses_alone_are_no_keywords_and_no_summary() -> None:
    code = (
        "graph TD\nstyle Gate fill:#f9f,stroke:#333\nstyle Weir fill:#bbf,stroke:#333\nstyle Lock fill:#bbf,stroke:#333"
    )
    seen = "See https://pan.canal.example/s/15xxFF and canal.example/lock/15xxFF, canal.example/weir/15xxFF. "
    text = f"{TEXT}\n\n{seen}\n\n{code}"
    body = f"<title>The lower gate</title><p>{TEXT}</p><p>{seen}</p><pre>{code}</pre>"
    page = analyse(body.encode(), "http://canal.example/gate", tokenizer=TOKENIZER)
    found = summarise(page, Extraction("given", text, title="The lower gate"), TOKENIZER)
    assert not {"stroke", "style", "fill", "stroke fill", "style fill", "15xxff"} & set(found.keywords)
    assert {"weir", "gate"} <= set(found.keywords)
    assert "stroke" not in found.text


def test_a_line_of_code_with_the_words_of_the_text_is_no_sentence_of_the_summary() -> None:
    code = "(gate-open lock 'weir)\n(lock-fill chamber 'water)"
    text = f"{TEXT}\n\n{code}"
    body = f"<title>The lock</title><p>{TEXT} The gate may open.</p><pre>{code}</pre>"
    page = analyse(body.encode(), "http://canal.example/gate", tokenizer=TOKENIZER)
    found = summarise(page, Extraction("given", text, title="The lock"), TOKENIZER)
    assert "chamber had filled" in found.text
    assert "(" not in found.text


def test_a_text_set_like_code_has_keywords() -> None:
    body = f"<title>The lower gate</title><pre>{TEXT}</pre>"
    page = analyse(body.encode(), "http://canal.example/gate", tokenizer=TOKENIZER)
    assert "weir" in summarise(page, Extraction("given", TEXT, title="The lower gate"), TOKENIZER).keywords


def test_chinese_words_on_both_sides_of_a_comma_are_no_term() -> None:
    text = "河边有水闸、驳船，还有水闸、驳船、堰坝。看守人记下了水闸、驳船。船闸看守人来了，船闸看守人走了。"
    found = summarised("", text, "zh")
    assert not any("水闸驳船" in word for word in found.keywords)
    assert {"水闸", "驳船"} <= set(found.keywords)
