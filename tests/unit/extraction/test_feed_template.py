"""Templates learned from entries and pages, and applied to others of the site."""

from __future__ import annotations

import json

import pytest

from focuscrawl.extraction.feed_template import METHOD, Template, is_valid, learn_template
from focuscrawl.feeds.entries import FeedEntry
from focuscrawl.page.analysis import analyse
from focuscrawl.page.model import PageAnalysis
from focuscrawl.text.tokenize import make_tokenizer

TEXTS = [
    "采茶要在清晨露水未干之时，芽叶最嫩。采下的鲜叶薄薄地摊在竹匾上，等青草气散去。",
    "铁锅烧到两百度，手掌贴着锅壁翻动鲜叶，这一步叫杀青，去掉酶的活性，留住绿色。",
    "杀青之后趁热揉捻，茶汁渗到叶面，条索渐渐收紧，之后再上炭火慢慢烘干，才算成茶。",
    "存茶怕潮怕光怕异味，锡罐里垫一层棉纸，放在阴凉的柜子里，一年之后香气还在。",
]
NOISE = '<div class="share-bar">分享到 <a href="#">微博</a> <a href="#">微信</a></div>'
LICENSE = "<p>本站文章由老茶馆写成，转载时请写明出处。</p>"
CODE = (
    '<table><tr><td class="gutter"><pre>1\n2</pre></td><td class="code"><pre>heat 200\nroll 3</pre></td></tr></table>'
)


def entry(n: int, text: str | None = None) -> FeedEntry:
    return FeedEntry(
        f"https://tea.example/{n}.html",
        f"制茶笔记之{'一二三四五六七八九'[n]}",
        TEXTS[n % 4] * 2 if text is None else text,
        ("手艺",),
        f"2025-03-0{n + 1}T02:00:00+00:00",
    )


def page(n: int, *, banner: bool = False, inner: str = "", text: str | None = None) -> PageAnalysis:
    html = (
        f"<html><head><title>制茶笔记 - 老茶馆</title></head><body>{'<div>春茶上市</div>' if banner else ''}"
        "<div class=top><a href=/>首页</a><a href=/c>手艺</a></div>"
        f'<div class=wrap><h1 class=t>{entry(n).title}</h1><div class="crumbs"><a href=/c>手艺</a></div>'
        f"<span class=when>2025-03-0{n + 1}</span>"
        f'<div class="post">{NOISE}<p>{TEXTS[n % 4] * 2 if text is None else text}</p>{inner}{LICENSE}</div>'
        f"<div class=comments>{'写得好，学到了不少。' * 30}</div></div></body></html>"
    )
    return analyse(html.encode(), f"https://tea.example/{n}.html", tokenizer=make_tokenizer())


@pytest.fixture
def template() -> Template:
    learned = learn_template([(entry(n), page(n)) for n in range(3)])
    assert learned is not None
    return learned


def test_a_page_that_the_feed_does_not_list_is_extracted(template: Template) -> None:
    found = template.extract(page(3, inner=CODE))
    assert found is not None
    assert found.method == METHOD
    assert found.text == f"{TEXTS[3] * 2}\n\nheat 200\nroll 3"
    assert (found.title, found.category, found.published) == ("制茶笔记之四", "手艺", "2025-03-04")
    assert found.xpaths[0] == "/html/body/div[2]/div[2]"
    assert 0.9 <= found.confidence.value <= 1.0


def test_a_banner_that_shifts_every_index_does_not_matter(template: Template) -> None:
    found = template.extract(page(3, banner=True))
    assert found is not None
    assert found.text == TEXTS[3] * 2


def test_summaries_are_enough(template: Template) -> None:
    learned = learn_template([(entry(n, TEXTS[n][:25] + "……"), page(n)) for n in range(3)])
    assert learned is not None
    found = learned.extract(page(3))
    assert found is not None
    assert found.text == TEXTS[3] * 2
    assert learned.body == template.body


def test_the_tree_is_left_as_it_was(template: Template) -> None:
    from lxml import etree

    analysed = page(3)
    assert analysed.tree is not None
    before = etree.tostring(analysed.tree.root)
    template.extract(analysed)
    learn_template([(entry(3), analysed)])
    assert etree.tostring(analysed.tree.root) == before


def test_error_pages_with_status_200_teach_nothing_and_give_nothing(template: Template) -> None:
    body = "<html><body><div><p>Sorry, the page is gone.</p></div></body></html>"
    lost = analyse(body.encode(), "https://tea.example/9.html", tokenizer=make_tokenizer())
    assert template.extract(lost) is None
    assert learn_template([(entry(n), lost) for n in range(3)]) is None
    mixed = learn_template([(entry(0), lost), *((entry(n), page(n)) for n in range(1, 4))])
    assert mixed is not None
    assert mixed.body.forms[0] == template.body.forms[0]


def test_nothing_to_learn_from() -> None:
    empty = analyse(b"", "https://tea.example/", tokenizer=make_tokenizer())
    assert learn_template([]) is None
    assert learn_template([(entry(0), empty), (entry(1, ""), page(1))]) is None


def test_a_short_post_in_a_known_element_is_a_post(template: Template) -> None:
    found = template.extract(page(3, text="今日歇业。"))
    assert found is not None
    assert found.text == "今日歇业。"


def test_a_template_survives_json(template: Template) -> None:
    again = Template.of(json.loads(json.dumps(template.fields())))
    assert again == template


@pytest.mark.parametrize("fields", [{}, {"body": None}, {"body": {"forms": ["/html"]}}])
def test_other_json_is_no_template(fields: dict[str, object]) -> None:
    with pytest.raises((KeyError, ValueError, TypeError)):
        Template.of(fields)


def test_validation_wants_the_words_and_the_title_of_the_entry(template: Template) -> None:
    found = template.extract(page(3))
    assert is_valid(entry(3), found)
    assert not is_valid(entry(3, "铁锅炭火竹匾锡罐棉纸统统不在这一页上出现过的话"), found)
    assert not is_valid(entry(2, entry(3).text), found)  # another title
    assert not is_valid(entry(3), None)


def test_blocks_that_no_entry_has_are_dropped_and_named_like_noise_but_in_entries_are_kept() -> None:
    extra = "本段由编辑部加注，茶季已过，敬请期待明年的新茶与新的故事。"
    note = "茶农自述：手上的老茧是一年一年炒出来的，火候全凭手掌。"

    def with_blocks(n: int) -> PageAnalysis:
        return page(n, inner=f'<div class="zx">{extra}{n}</div><div class="author-says">{note}{n}</div>')

    def with_note(n: int) -> FeedEntry:
        return entry(n, f"{TEXTS[n % 4] * 2} {note}{n}")

    learned = learn_template([(with_note(n), with_blocks(n)) for n in range(3)])
    assert learned is not None
    found = learned.extract(with_blocks(3))
    assert found is not None
    assert found.text == f"{TEXTS[3] * 2}\n\n{note}3"


def test_tabs_of_text_are_kept_lists_of_links_in_the_body_are_not() -> None:
    learned = learn_template([(entry(n, TEXTS[n % 4]), page(n)) for n in range(3)])
    assert learned is not None
    toc = '<div class="toc"><a href="#1">第一节</a> <a href="#2">第二节</a></div>'
    inner = f'<div class="tabs"><p>{TEXTS[0]}</p></div>{toc}'
    found = learned.extract(page(3, inner=inner))
    assert found is not None
    assert found.text == f"{TEXTS[3] * 2}\n\n{TEXTS[0]}"


def test_a_heading_is_text_whatever_its_id_sounds_like(template: Template) -> None:
    found = template.extract(page(3, inner=f'<h3 id="related-pages"><a href="#">相关的一节</a></h3><p>{TEXTS[1]}</p>'))
    assert found is not None
    assert found.text == f"{TEXTS[3] * 2}\n\n相关的一节\n\n{TEXTS[1]}"


def test_dates_and_tags_at_the_edges_of_the_body_are_not_text_inside_they_are() -> None:
    learned = learn_template([(entry(n, TEXTS[n][:30]), page(n)) for n in range(3)])
    assert learned is not None
    tags = '<div class="post-tags">茶 炒青</div>'
    time_inside = f'<div class="time">此处歇息一炷香的工夫</div><p>{TEXTS[0]}</p>{tags}'
    found = learned.extract(page(3, inner=time_inside))
    assert found is not None
    assert found.text == f"{TEXTS[3] * 2}\n\n此处歇息一炷香的工夫\n\n{TEXTS[0]}"


def test_lines_that_some_posts_of_a_series_share_stay() -> None:
    series = "<p>本文是制茶系列中的一篇，上一篇讲采摘，下一篇讲炭焙。</p>"
    pairs = [(entry(n, TEXTS[n % 4][:30]), page(n, inner=series if n < 2 else "")) for n in range(5)]
    learned = learn_template(pairs)
    assert learned is not None
    found = learned.extract(page(1, inner=series))
    assert found is not None
    assert found.text.endswith("下一篇讲炭焙。")
    assert "转载" not in found.text
