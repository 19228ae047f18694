from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.extraction.wiehf import (
    Container,
    WiehfExtractor,
    alike,
    choose,
    dsd,
    heading_words,
    is_copyright,
    juli,
    merge_siblings,
    psd,
    tsd,
)
from focuscrawl.page.analysis import analyse
from focuscrawl.text.tokenize import make_tokenizer


def path(text: str) -> list[str]:
    return text.split("/")


def item(order: int, text: str, sd: float, steps: str = "", *, parent: int = 0, **attributes: str) -> Container:
    names = {name.rstrip("_"): value for name, value in attributes.items()}
    where = tuple((step, 1) for step in ["html", "body", *path(steps or f"div{order}")])
    return Container(where, (order + 1,), text, sd, order, parent, names)


@pytest.mark.parametrize(
    ("ordinals", "value"), [((1, 1), 0.909091), ((2, 1), 0.476190), ((3,), 0.333333), ((3, 2, 1), 0.311526)]
)
def test_dsd_worked_examples(ordinals: tuple[int, ...], value: float) -> None:
    assert dsd(ordinals) == pytest.approx(value, abs=5e-7)


@given(st.lists(st.integers(1, 50), min_size=1, max_size=8))
def test_dsd_is_a_share_and_falls_with_the_place(ordinals: list[int]) -> None:
    assert 0.0 < dsd(ordinals) <= 1.0
    assert dsd([ordinals[0] + 1, *ordinals[1:]]) < dsd(ordinals)
    assert dsd([*ordinals, 1]) < dsd(ordinals)


@pytest.mark.parametrize(("marks", "fp"), [(0, 0.001), (2, 0.001), (3, 0.1), (5, 0.1), (6, 0.5), (60, 0.5)])
def test_psd_steps_at_three_and_six_marks(marks: int, fp: float) -> None:
    assert psd(200, 20, marks) == pytest.approx(fp * 10)
    assert psd(200, 0, marks) == pytest.approx(fp * 200)


def test_sd_worked_example() -> None:
    assert tsd(4, 2) == 4.0
    assert psd(300, 20, 8) == pytest.approx(7.5)
    assert dsd((2, 1)) * (tsd(4, 2) + psd(300, 20, 8)) == pytest.approx(5.476190, abs=5e-7)


def test_juli_worked_examples() -> None:
    assert juli(path("html/body/div[1]/div[2]/div[2]"), path("html/body/div[1]/div[2]/div[3]")) == 1
    one = path("html/body/div[1]/div[1]/div[1]/div[0]")
    assert juli(one, path("html/body/div[1]/div[1]/div[2]/div[1]")) == 3
    assert juli(one, one) == 0
    assert juli(path("html/body/div[1]"), path("html/body/div[1]/div[1]/div[1]/div[1]")) == 2


@given(st.lists(st.sampled_from("ab"), max_size=6), st.lists(st.sampled_from("ab"), max_size=6))
def test_juli_is_symmetric_and_never_negative(one: list[str], other: list[str]) -> None:
    assert juli(one, other) == juli(other, one) >= 0


def test_heading_words_are_the_most_frequent_ties_to_the_earlier() -> None:
    assert heading_words(["tea and water, tea", "Water"], ["leaf", "water", "tea"]) == ("water", "tea")
    assert heading_words(["tea"], ["tea", "leaf"]) == ("tea", "")
    assert heading_words(["tea"], []) == ("", "")


def test_alike_by_class_then_style_then_the_rest() -> None:
    assert alike({"class": "a"}, {"class": "a", "id": "x"})
    assert alike({"style": "top:0"}, {"style": "top:0", "class": "b"})
    assert alike({"width": "9"}, {"width": "9", "class": "b"})
    assert not alike({}, {})
    assert not alike({"class": ""}, {"class": ""})
    assert not alike({"class": "a"}, {"class": "b"})


def test_merge_joins_siblings_only_and_adds_sd() -> None:
    merged = merge_siblings(
        [
            item(0, "one", 1.0, class_="post"),
            item(1, "two", 2.0, class_="other"),
            item(2, "three", 4.0, class_="post"),
            item(3, "far", 8.0, parent=9, class_="post"),
        ]
    )
    assert [(m.text, m.sd, m.order) for m in merged] == [("one\n\nthree", 5.0, 0), ("two", 2.0, 1), ("far", 8.0, 3)]


@given(st.lists(st.tuples(st.sampled_from(["", "p", "q"]), st.sampled_from(["", "s", "t"])), max_size=8))
def test_merge_is_the_transitive_closure_of_alike(makes: list[tuple[str, str]]) -> None:
    items = [item(at, str(at), 1.0, class_=names, style=style) for at, (names, style) in enumerate(makes)]
    group = {at: {at} for at in range(len(items))}
    for a in range(len(items)):
        for b in range(a):
            if alike(items[a].attributes, items[b].attributes):
                joined = group[a] | group[b]
                for member in joined:
                    group[member] = joined
    expected = sorted({min(members): "\n\n".join(map(str, sorted(members))) for members in group.values()}.items())
    assert [(m.order, m.text) for m in merge_siblings(items)] == expected


def test_choose_near_ones_for_a_single_body_and_farther_ones_for_several() -> None:
    best = item(0, "x" * 60, 9.0, "a/b")
    near = item(1, "y" * 20, 2.0, "a/c")
    far = item(2, "z" * 20, 1.0, "d/e")
    chosen, share = choose([far, best, near])
    assert share == 0.6
    assert chosen == [best, near]
    longer = item(2, "z" * 90, 1.0, "d/e")
    chosen, share = choose([longer, best, near])
    assert share < 0.5
    assert chosen == [best, near, longer]


def test_choose_drops_copyright_notices_but_not_all() -> None:
    notice = item(1, "版权所有 联系我们 关于我们", 3.0)
    assert is_copyright(notice.text)
    assert not is_copyright(notice.text + "。")
    assert choose([notice])[0] == [notice]
    body = item(0, "正文", 9.0)
    assert choose([body, notice])[0] == [body]
    assert choose([item(0, "版权 备案 网站地图", 9.0), notice])[0][0].sd == 9.0
    assert choose([])[0] == []


def test_page_with_a_body_beside_menus() -> None:
    menu = "".join(f'<p><a href="/{n}">Part {n}</a></p>' for n in range(20))
    text = "A canal needs a lock, and a lock needs a keeper. " * 12
    body = f"<title>The lock keeper</title><div><div><div>{menu}</div></div></div>"
    body += f"<div id=t><h1>Lock</h1><p>{text}</p></div>"
    page = analyse(body.encode(), "http://a.example/", tokenizer=make_tokenizer("words"))
    found = WiehfExtractor().extract(page)
    assert found is not None
    assert text.strip() in found.text
    assert "Part 3" not in found.text
    assert found.xpaths == ("/html/body/div[2]",)
    assert 0.0 < found.confidence.value <= 1.0
