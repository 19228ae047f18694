"""What a clause on a subject asks for, beside the subject."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.topic.asking import subject_of
from focuscrawl.topic.own_words import own_words


@pytest.mark.parametrize(
    ("clause", "subject"),
    [
        ("Collect articles about coral reefs", "coral reefs"),
        ("I'm building a corpus of texts on maritime law", "maritime law"),
        ("I’m building a corpus of texts on maritime law", "maritime law"),
        ("a corpus of German parliament debates", "German parliament debates"),
        ("I need a dataset of recipes from Sichuan", "recipes from Sichuan"),
        ("crawl everything on the topic of permaculture", "permaculture"),
        ("Pages that explain how to brew beer", "how to brew beer"),
        ("English-language pages on Confucius", "Confucius"),
        ("texts in Chinese on jazz", "jazz"),
        ("Find articles and blog posts about tea", "tea"),
        ("latest research on Alzheimer's disease", "Alzheimer's disease"),
        ("我需要关于中国茶文化的语料", "中国茶文化"),
        ("请抓取与人工智能有关的文章", "人工智能"),
        ("想找一些讲养猫的博客", "养猫"),
        ("收集有关垃圾分类的资料", "垃圾分类"),
        ("我想收集唐诗的文本", "唐诗"),
        ("关于电影的影评", "电影的影评"),
    ],
)
def test_what_asks_for_pages_is_left_out(clause: str, subject: str) -> None:
    assert subject_of(clause) == subject


@pytest.mark.parametrize(
    "clause",
    [
        "Corpus linguistics",
        "web crawling and scraping",
        "collecting stamps",
        "making cheese",
        "On the Origin of Species",
        "Information retrieval",
        "how to make a website about cats",
        "articles about",
        "讲座安排的资料",
        "找工作的网站",
        "下载软件的网站",
        "我想找工作",
        "收集邮票",
        "和平与发展",
        "有关部门的职责",
        "关于",
        "",
    ],
)
def test_words_of_that_kind_may_be_the_subject(clause: str) -> None:
    assert subject_of(clause) == clause


WORDS = [
    "pages",
    "about",
    "a",
    "corpus",
    "of",
    "collect",
    "tea",
    "in",
    "English",
    "that",
    "explain",
    "关于",
    "的",
    "资料",
    "茶",
]


@given(st.lists(st.sampled_from(WORDS), max_size=12))
def test_a_subject_is_a_part_of_its_clause_and_not_nothing(words: list[str]) -> None:
    clause = " ".join(words)
    subject = subject_of(clause)
    assert subject in clause
    assert bool(subject) == bool(clause)


def test_links_are_not_looked_for_by_what_asks_for_pages() -> None:
    words = own_words(
        "A corpus of texts on reefs",
        "Collect everything about atolls.",
        tokens=lambda text: text.lower().replace(".", "").split(),
        idf=lambda word: 5.0,
    )
    assert words == {"reefs": 0.8, "atolls": 0.5}
