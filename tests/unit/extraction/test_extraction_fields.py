from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.extraction.dates import iso_date
from focuscrawl.extraction.fields import PageFields, page_fields
from focuscrawl.page.analysis import analyse
from focuscrawl.text.tokenize import make_tokenizer


def fields(html: str) -> PageFields:
    return page_fields(analyse(html.encode(), "http://a.example/gate", tokenizer=make_tokenizer("words")))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2021-03-04", "2021-03-04"),
        ("2021年3月4日 09:05", "2021-03-04T09:05"),
        ("2021/3/4 9:05:06", "2021-03-04T09:05:06"),
        ("2021-03-04T09:05:06+0800", "2021-03-04T09:05:06+08:00"),
        ("2021-03-04T09:05:06Z", "2021-03-04T09:05:06Z"),
        ("2021-03-04T16:00:00.000Z", "2021-03-04T16:00:00Z"),
        ("2021-03-04 09:05:06.123456+0800", "2021-03-04T09:05:06+08:00"),
        ("March 4, 2021", "2021-03-04"),
        ("4 Mar 2021", "2021-03-04"),
        ("4 Mar, 2021", "2021-03-04"),
        ("Thu Mar  4 14:22:01 CET 2021", "2021-03-04"),
        ("Thu Mar 4 14:22:01 2021", "2021-03-04"),
        ("２０２１－０３－０４", "2021-03-04"),
        ("２０２１年３月４日　０９：０５", "2021-03-04T09:05"),
        ("04.03.2021 09:05", "2021-03-04T09:05"),
        ("4. 3. 2021", "2021-03-04"),
        ("3/24/2021", "2021-03-24"),
        ("24-3-2021", "2021-03-24"),
        ("Posted 3/24/2021 9:05 PM", "2021-03-24"),
        ("3.24.2021", "2021-03-24"),
        ("3/4/2021", ""),
        ("version 1.2.2019.4", ""),
        ("10.1.2.2019", ""),
        ("30.02.2021", ""),
        ("2021-13-04", ""),
        ("2021-02-30", ""),
        ("no date", ""),
        ("2020-01-02T03:04+99:99", "2020-01-02T03:04"),
        ("2020-01-02 03:04 -2500", "2020-01-02T03:04"),
        ("2020-01-02 03:04 +1400", "2020-01-02T03:04+14:00"),
    ],
)
def test_iso_date(text: str, expected: str) -> None:
    assert iso_date(text) == expected


@given(st.text(max_size=80))
def test_iso_date_never_raises(text: str) -> None:
    iso_date(text)


@given(st.dates(min_value=date(1901, 1, 1), max_value=date(2099, 1, 1)))
def test_iso_date_finds_every_day(day: object) -> None:
    assert iso_date(f"posted {day} here") == str(day)


@given(
    st.dates(min_value=date(1901, 1, 1), max_value=date(2099, 1, 1)), st.sampled_from(["de", "fr-FR", "en-GB", "en-US"])
)
def test_a_numeric_date_is_read_as_the_language_writes_it(day: date, tag: str) -> None:
    shown = f"{day.month}/{day.day}/{day.year}" if tag == "en-US" else f"{day.day:02d}/{day.month:02d}/{day.year}"
    page = f"<html lang={tag}><h1>The lock</h1><p class=meta>{shown}</p><p>It was rebuilt.</p><p>Updated 2100-01-01</p>"
    assert fields(page).published == str(day)


def test_a_numeric_date_has_the_label_before_it() -> None:
    member = "<p><b>Joined</b> <span>3/4/2019</span></p><p><b>Updated</b> <span>5/6/2021</span></p>"
    page = f"<html lang=en-US><h1>The lock</h1>{member}<p>It was rebuilt.</p>"
    assert fields(page).published == "2021-05-06"
    assert fields(f"{page}<p><span>4/5/2020</span></p>").published == "2020-04-05"


def test_a_numeric_date_that_may_be_another_day_is_not_read() -> None:
    page = "<html lang=en><h1>The lock</h1><p class=meta>3/4/2021</p><p>It was rebuilt.</p>"
    assert fields(page).published is None


def test_declared_fields_come_first() -> None:
    found = fields(
        '<title>The lock | Canal News</title><script type="application/ld+json">{"@graph": [{"@type": "NewsArticle",'
        '"datePublished": "2021-03-04T09:05:06Z", "author": [{"name": "Ann Lee"}, {"name": "Bo"}],'
        '"articleSection": "Water"}]}</script><meta property="article:published_time" content="2020-01-01">'
        "<h1>The lock</h1><p>By Cy Poe</p>"
    )
    assert found == PageFields("The lock", "2021-03-04T09:05:06Z", "Ann Lee, Bo", "Water")


def test_fields_a_page_shows() -> None:
    shown = "<div><span>2021年3月4日 09:05</span><span>作者：王一</span></div>"
    found = fields(f"<title>船闸重开_运河报</title><h1>船闸重开</h1>{shown}")
    assert found == PageFields("船闸重开", "2021-03-04T09:05", "王一", None)


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("The lock reopens - Canal News", "The lock reopens"),
        ("The lock reopens | Water | Canal News", "The lock reopens"),
        ("船闸今天重开_运河报", "船闸今天重开"),
        ("A well-kept lock", "A well-kept lock"),
        ("The lock", "The lock"),
    ],
)
def test_site_names_are_cut_off_titles(title: str, expected: str) -> None:
    assert fields(f"<title>{title}</title><p>text</p>").title == expected


@pytest.mark.parametrize(
    ("declared", "published", "author"),
    [
        ('{"@type": "Review", "datePublished": "2021-03-04", "author": {"name": "Ann Lee"}}', "2021-03-04", "Ann Lee"),
        ('{"@type": "QAPage", "mainEntity": {"@type": "Question", "dateCreated": "2021-03-04"}}', "2021-03-04", None),
        ('{"@type": "Article", "dateCreated": "2021-03-01", "datePublished": "2021-03-04"}', "2021-03-04", None),
    ],
)
def test_reviews_and_questions_declare_fields(declared: str, published: str, author: str | None) -> None:
    found = fields(f'<title>The lock</title><script type="application/ld+json">{declared}</script><p>text</p>')
    assert (found.published, found.author) == (published, author)


def test_the_author_of_the_article_goes_before_that_of_the_site() -> None:
    declared = '<meta name="author" content="Canal News"><meta property="article:author" content="Ann Lee">'
    assert fields(f"<title>The lock</title>{declared}<p>text</p>").author == "Ann Lee"
    for address in ("http://a.example/ann", "author/ann.html"):
        profile = f'<meta name="author" content="Ann Lee"><meta property="article:author" content="{address}">'
        assert fields(f"<title>The lock</title>{profile}<p>text</p>").author == "Ann Lee"


@pytest.mark.parametrize("data", ["{", "[[[[", '"x"', "null", '{"@type": 3}', '{"@type": "Article", "author": 5}'])
def test_broken_linked_data_is_passed_over(data: str) -> None:
    html = f'<title>The lock</title><script type="application/ld+json">{data}</script><p>text</p>'
    assert fields(html) == PageFields("The lock")


@pytest.mark.parametrize(
    ("shown", "author"),
    [
        ('<p><a rel="nofollow author" href="/ann">Ann Lee</a></p>', "Ann Lee"),
        ('<p><a rel="author" href="/ann"><b>Ann</b> Lee</a></p>', "Ann Lee"),
        ('<p><a rel="author" href="/ann">View all of Ann Lee&#039;s posts.</a></p>', "Ann Lee"),
        ('<p><a rel="author" href="/ann">View all posts by Ann Lee <span>→</span></a></p>', "Ann Lee"),
        ('<p><a rel="author" href="/wang">查看王一的所有文章</a></p>', "王一"),
        ('<p><a rel="author" href="/wang">查看所有由王一发布的文章</a></p>', "王一"),
        ('<p>by <span class="vcard"><a class="url fn n">Ann Lee</a></span></p>', "Ann Lee"),
        ("<p>Posted on <time>Thursday</time> by <a href='/ann'>ann</a></p>", "ann"),
        ("<ul><li><strong>本文作者：</strong> 王一</li></ul>", "王一"),
        ("<div>文章作者: <i></i><a href='/'>王一</a></div>", "王一"),
        ("<p>昨天 21:40　来源：晚报　记者 王一</p>", "王一"),
        ("<p>本報記者 王一 攝</p>", "王一"),
        ("<p>撰稿：王一</p>", "王一"),
        ('<div class="byline">文／王一　民國110年3月4日</div>', "王一"),
        ("<p>作者：让・王</p>", "让・王"),
        ("<p>记者 昨天从船闸获悉，闸门已开。</p>", None),
        ("<p>记者 昨天，闸门开了。</p>", None),
        ("<p>中文／English</p>", None),
        ("<p>By Ann Lee</p>", "Ann Lee"),
        ("<p>Posted by Ann</p>", "Ann"),
        ('<div class="author vcard"><span>Author</span> <a>Ann Lee</a></div>', "Ann Lee"),
        ('<div class="author">Ann</div><p>text</p><div class="author">Bo</div>', None),
        ('<div id="comments"><p class="author">Bo</p><p>by <a>Cy</a></p></div>', None),
        ('<footer>by <a href="/studio">A Studio</a></footer>', None),
        ("<p>Theme by <a>Bo</a>, set up by <a>Cy</a></p>", None),
        ("<ul><li><a>By Category</a></li></ul>", None),
        ('<p>由 <a href="/u/1">林清</a> 发布于 2024-05-01</p>', "林清"),
        ('<p>由<a href="/u/1">林清</a>于 2024-05-01 发布</p>', "林清"),
        ("<p>由 林清 发表于 2024-05-01 09:00</p>", "林清"),
        ('<p>本站由 <a href="/cloud">云上</a> 提供</p>', None),
        ("<p>发布者：林清</p>", "林清"),
        ("<p>发布人：<a>林清</a></p>", "林清"),
        ("<p>楼主：林清 时间：2024-05-01</p>", "林清"),
        ("<p>作者 林清 | 2024-05-01</p>", "林清"),
        ("<p>作者　<a>林清</a></p>", "林清"),
        ("<p><span><b><i>文章作者:</i></b></span> <span><a href='/about'>Davis Cheng</a></span></p>", "Davis Cheng"),
        ("<p><span><b>作者：</b> 见下</span> <span>目录</span></p>", "见下"),
        ('<div><div class="date">May 3, 2012</div> By Sharad Goel </div>', "Sharad Goel"),
        (
            "<div><div>Lead</div> By Sharad Goel himself the sums were done again in the spring of that year. </div>",
            None,
        ),
        ("<p>Published December 30, 2007 by lieven</p>", "lieven"),
        ("<p>Published December 30, 2007 by admin</p>", None),
        ("<p>Published in 2007 by hand and by foot</p>", None),
        ('<p><a href="/author/bob.html">Bob</a>, Tue 28 March 2017</p>', "Bob"),
        ('<p><a href="/author/bob.html">Bob</a></p>', None),
        ('<p><a href="/authors/">Authors</a> 28 March 2017</p>', None),
        ('<p><a href="/u/17">Bob</a> <time>28 March 2017</time></p>', "Bob"),
        ('<p><a href="https://a.example/people/bob/">Bob</a> 28 March 2017</p>', "Bob"),
        ('<p><a href="/@bob">Bob</a> · 28 March 2017</p>', "Bob"),
        ('<p><a href="/user/bob">Bob</a> said so</p>', None),
        ('<p><a href="/u/1">Bob</a> 28 March 2017</p><p><a href="/u/2">Cy</a> 29 March 2017</p>', None),
        ('<p class="author">Ann Lee</p><p><a href="/@bob">Bob</a> 28 March 2017</p>', "Ann Lee"),
        ('<p><i class="icon reco-account"><span>沐圣</span></i> <i>2017/12/25</i></p>', "沐圣"),
        ('<p><i class="fa fa-user"></i> Ann Lee <i class="fa fa-clock"></i> 2017-12-25</p>', "Ann Lee"),
        ('<p><i class="fa fa-user"></i><a>Ann Lee</a> 2017-12-25</p>', "Ann Lee"),
        ('<p><i class="fa fa-user"></i> Log in</p><p>2017-12-25</p>', None),
        ('<p><i class="fa fa-users"></i> Club <time>2017-12-25</time></p>', None),
        ("<p>作者 简介</p>", None),
        ("<p><b>作者</b> 简介</p>", None),
        ("<table><tr><td>作者</td><td>标题</td></tr></table>", None),
        ('<p><a href="/u/1">林清</a> 发布于 2024-05-01 09:00</p>', "林清"),
        ("<p>林清 发表于 2024年5月1日 | 水利</p>", "林清"),
        ("<p><a>林清</a>发表于2024年5月1日的文章说，闸门开了。</p>", None),
        ("<p>船闸 发布于 2024-05-01</p>", None),
        ("<p>作者 | 林清</p>", "林清"),
        ("<p>文丨林清 图丨赵敏</p>", "林清"),
        ("<p>by 林清</p>", "林清"),
        ("<p>船闸<br>文／林美華　攝影／陳志明<br>民國113年5月3日</p>", "林美華"),
        ("<p><b>作者：</b>林清　来源：晚报</p>", "林清"),
        ("<p>Author: Ann Lee</p>", "Ann Lee"),
        ("<p>By Ann van der Lee</p>", "Ann van der Lee"),
        ("<p>Posted on May 3, 2024 by Ann Lee in News</p>", "Ann Lee"),
        ("<p>By Dr. Ann Lee, Staff Writer</p>", "Dr. Ann Lee"),
        ('<div><div class="email-author x"><h2>Ann Lee</h2></div> <span>28 March 2017</span></div>', "Ann Lee"),
        ('<div><span class="post__author-name">Ann Lee</span> <time>28 March 2017</time></div>', "Ann Lee"),
        ('<div><span class="post-author">Ann Lee</span></div>', None),
        (
            '<p class="author">Added by <a href="/users/3">Ann Lee</a> <i title="2017-12-25 09:30">a year</i> ago</p>',
            "Ann Lee",
        ),
        (
            '<p class="author">由 <a href="/users/3">林 清</a> 在 <i title="2017-12-25 9:30">2 年</i> 前添加</p>',
            "林 清",
        ),
        (
            '<p class="author"><a href="/users/3">Ann</a> and <a href="/users/4">Bo</a> told us about all of this</p>',
            None,
        ),
    ],
)
def test_author_a_page_shows(shown: str, author: str | None) -> None:
    assert fields(f"<title>The lock</title><main><h1>The lock</h1></main>{shown}<p>It is open.</p>").author == author


@pytest.mark.parametrize(
    ("shown", "authors"),
    [
        ("<p>作者：林清、赵敏</p>", "林清, 赵敏"),
        ("<p>作者：林清　赵敏　浏览：230</p>", "林清, 赵敏"),
        ("<p>作者：林清　浏览　230</p>", "林清"),
        ("<p>作者：林清　赵敏：编辑</p>", "林清"),
        ("<p>电讯（记者林清、赵敏）船闸开了。</p>", "林清, 赵敏"),
        ("<p>作者：<a>林清</a>　<a>赵敏</a>　<a>船闸</a></p>", "林清, 赵敏"),
        ("<p>作者: <span>林清</span>、<span>赵敏</span></p>", "林清, 赵敏"),
        ("<p>By Ann Lee and Bo Ray</p>", "Ann Lee, Bo Ray"),
        ("<p>By Ann Lee, Cy Day and Bo Ray</p>", "Ann Lee, Cy Day, Bo Ray"),
        ('<p>By <a href="/a">Ann Lee</a> and <a href="/b">Bo Ray</a> in <a href="/n">News</a></p>', "Ann Lee, Bo Ray"),
        ("<p>By <a>Ann Lee</a>, <time>April 1, 2024</time></p>", "Ann Lee"),
        ("<p>作者：<a>林清</a>，<span>2024年4月1日</span></p>", "林清"),
        ('<p><a rel="author" href="/a">Ann Lee</a>, <a rel="author" href="/b">Bo Ray</a></p>', "Ann Lee, Bo Ray"),
    ],
)
def test_all_authors_of_a_byline(shown: str, authors: str) -> None:
    assert fields(f"<title>The lock</title><main><h1>The lock</h1></main>{shown}<p>It is open.</p>").author == authors


NAMES = ("Ann Lee", "Bo Ray", "Cy Day", "Dee Fox")
POST = (
    '<div class="{classes}"><h2><a href="/p/{letter}.html">{letter}</a></h2>'
    '<p>by <a rel="author" href="/u">{name}</a> on <time>2024-05-03</time></p></div>'
)
POSTS = "".join(POST.format(name=name, letter=name[0], classes="post") for name in NAMES)


@pytest.mark.parametrize(
    "classes",
    ["post", "post-{n} post type-post category-{n}", "category-{letter} post type-post hentry"],
)
def test_a_list_of_posts_has_no_author_and_no_date(classes: str) -> None:
    posts = "".join(
        POST.format(name=name, letter=name[0], classes=classes.format(n=n, letter=name[0]))
        for n, name in enumerate(NAMES)
    )
    found = fields(f"<title>The locks</title><h1>The locks</h1>{posts}")
    assert (found.author, found.published) == (None, None)


def test_a_person_whose_name_is_no_property_is_none() -> None:
    person = '<div itemprop="author" itemscope>{}<img itemprop="image"><div>Scan to follow us</div></div>'
    assert fields(f"<title>The locks</title>{person.format('')}").author is None
    assert fields(f"<title>The locks</title>{person.format('<p itemprop=name>Ann Lee</p>')}").author == "Ann Lee"
    assert fields("<title>The locks</title><b itemprop=author itemscope>Ann <i>Lee</i></b>").author == "Ann Lee"


def test_posts_beside_those_of_another_kind_are_no_list() -> None:
    others = "".join(POST.format(name=name, letter=name[0], classes=f"{name[0]} post") for name in NAMES)
    assert fields(f"<title>The locks</title>{others}").author == "Ann Lee"


def test_the_page_of_an_author_names_them() -> None:
    shown = '<h2 class="page-title author">Author Archives: <span>Ann Lee</span></h2>'
    assert fields(f"<title>Ann Lee</title>{shown}").author == "Ann Lee"


@pytest.mark.parametrize(
    "line",
    [
        "<li><span>2024-05-0{n}</span> <a href='/{n}'>Lock {n}</a></li>",
        "<li>2024-05-0{n} <a href='/{n}'>Lock {n}</a></li>",
        "<tr><td><a href='/{n}'>Lock {n}</a></td><td>May {n}, 2024</td></tr>",
    ],
)
def test_lines_of_a_link_and_a_date_are_a_list(line: str) -> None:
    lines = "".join(line.format(n=n) for n in range(1, 5))
    assert fields(f"<title>The locks</title><h1>The locks</h1><table><ul>{lines}</ul></table>").published is None
    first = "<p>Posted on 3 March 2024</p>"
    assert fields(f"<title>The lock</title><ul>{lines}</ul>{first}").published == "2024-03-03"


def test_the_lines_below_a_title_are_no_list() -> None:
    lines = "<li><a href='/ann'>Ann Lee</a></li><li>March 3, 2024</li><li><a href='/news'>News</a></li>"
    assert fields(f"<title>The lock</title><h1>The lock</h1><ul>{lines}</ul>").published == "2024-03-03"


def test_an_article_below_a_list_of_posts_has_its_own_author_and_date() -> None:
    article = "<h1>The lock</h1><p>by <a>Eve Gray</a>, 2 April 2023</p><p>It is open.</p>"
    found = fields(f"<title>The lock</title><div>{POSTS}</div><div>{article}</div>")
    assert (found.author, found.published) == ("Eve Gray", "2023-04-02")


def test_a_book_of_poems_has_no_author_of_its_own() -> None:
    poems = [f"<h3>其{name}</h3><p>作者：{name}<br>船闸开了，水涨了。</p>" for name in ("林清", "赵敏", "王一")]
    assert fields(f"<title>船闸诗选</title>{''.join(poems[:2])}").author == "林清"
    assert fields(f"<title>船闸诗选</title>{''.join(poems)}").author is None


def test_posts_of_a_thread_whose_headings_lead_to_themselves_are_no_list_of_posts() -> None:
    posts = POSTS.replace('href="/p/', 'href="#/p/')
    assert fields(f"<title>The locks</title>{posts}").author == "Ann Lee"


@pytest.mark.parametrize(
    ("shown", "day"),
    [
        ("<p>注册时间 2019-3-1</p><p>发表于 2024-5-1</p>", "2024-05-01"),
        ("<p>注册时间：<em>2019-3-1</em></p><p>发表于：<em>2024-5-1</em></p>", "2024-05-01"),
        ("<p>Joined <time>May 3, 2019</time></p><p>Posted <time>May 1, 2024</time></p>", "2024-05-01"),
        ("<p>Joined: 3 May 2019</p>", None),
        ("<p>Last edited on <time>May 3, 2024</time></p><p>Written on <time>May 1, 2024</time></p>", "2024-05-01"),
        ("<p>发表于 2024-5-1，更新于 2024-5-3</p>", "2024-05-01"),
        ("<p>本页面最后修订于2024年5月3日 (星期五) 10:22。</p>", "2024-05-03"),
        (
            "<p><b>已于&nbsp;2024-05-03 09:00:00&nbsp;修改</b></p><p>于 2024-05-01 10:11:12 首次发布</p>",
            "2024-05-01T10:11:12",
        ),
        ("<p>时间：2024-05-01 更新：2024-05-03</p>", "2024-05-01"),
        ("<p>2024-05-01 编辑：林清</p><p>2024-05-03</p>", "2024-05-01"),
        ("<li>船闸词典[引用日期2013-05-06]</li>", None),
        ("<li>The lock. Retrieved 6 May 2013.</li><p>最近更新：2024-05-03</p>", "2024-05-03"),
    ],
)
def test_a_date_labelled_as_that_of_a_member_or_of_a_change_gives_way(shown: str, day: str | None) -> None:
    assert fields(f"<title>The lock</title><h1>The lock</h1>{shown}<p>It is open.</p>").published == day


@pytest.mark.parametrize(
    "block",
    [
        '<div id="sidebar"><div><a href="/2">The gate</a> <span>2024-02-01</span></div></div>',
        "<aside><p>The gate</p><time>2024-02-01</time></aside>",
        '<div class="recent-posts"><div><b>The gate</b><span>2024-02-01</span></div></div>',
        '<main><div class="related"><p>The gate</p><span>2024-02-01</span></div></main>',
        '<div class="foot"><p>Open since 2009-01-02</p></div>',
        "<footer><p>Open since 2009-01-02</p></footer>",
        "<div>今天是2024年2月1日</div>",
    ],
)
def test_a_date_beside_the_text_is_not_its_own(block: str) -> None:
    text = "<div class='post'><h1>The lock</h1>{}<p>It is open.</p></div>"
    assert fields(f"<title>The lock</title>{block}{text.format('')}").published is None
    assert fields(f"<title>The lock</title>{block}{text.format('<p>2020-03-04</p>')}").published == "2020-03-04"


def test_a_property_beside_the_text_is_not_the_pages() -> None:
    posted = "<time itemprop='datePublished' datetime='{}'></time><b itemprop='author'>{}</b>"
    beside = f"<aside><p>The gate</p>{posted.format('2024-02-01', 'Ann Lee')}</aside>"
    text = f"<article><h1>The lock</h1><p>It is open.</p><div>{posted.format('2020-03-04', 'Bo Ray')}</div></article>"
    of_page = fields(f"<title>The lock</title>{beside}{text}")
    assert (of_page.published, of_page.author) == ("2020-03-04", "Bo Ray")


@pytest.mark.parametrize(
    "page",
    [
        "<article><h1>The lock</h1><aside>{}</aside><p>It is open.</p></article>",
        "<div class='with-sidebar'><h1>The lock</h1>{}<p>It is open.</p></div>",
        "<div class='main-left'><h2>The lock</h2>{}<p>It is open.</p></div>",
        "<h1>The lock</h1><footer class='post-info'>{}</footer><p>It is open.</p>",
        "<h1>The lock</h1><p>It is open.</p><footer><p>This page was last edited on {}.</p></footer>",
    ],
)
def test_a_date_in_the_text_is_its_own_whatever_the_name_of_the_block(page: str) -> None:
    assert fields(f"<title>The lock</title>{page.format('<span>2020-03-04</span>')}").published == "2020-03-04"


@pytest.mark.parametrize(
    ("stated", "author"),
    [
        ("Ann Lee,", "Ann Lee"),
        ("Ann,ann.lee@canal.example", "Ann"),
        ("Ann Lee (ann@canal.example)", "Ann Lee"),
        ("ann@canal.example", None),
        ("by Ann Lee Jr.", "Ann Lee Jr."),
        ("Ann Lee,Bo Ray ;Cy Day", "Ann Lee, Bo Ray, Cy Day"),
        ("林清、赵敏", "林清, 赵敏"),
        ("Ann O&amp;#039;Lee", "Ann O'Lee"),
        ("Ann 6,796", "Ann 6,796"),
        ("ann17,Bo Ray", "ann17, Bo Ray"),
    ],
)
def test_no_address_and_no_comma_is_part_of_an_author(stated: str, author: str | None) -> None:
    assert fields(f'<title>The lock</title><meta name="author" content="{stated}"><p>text</p>').author == author


@pytest.mark.parametrize(
    ("metas", "author"),
    [
        ([("citation_author", "Lee, Ann"), ("citation_author", "Bo Ray")], "Ann Lee, Bo Ray"),
        ([("author", "Canal Library"), ("citation_author", "van Dyke, Ann")], "Ann van Dyke"),
        ([("DC.creator", "林, 清"), ("DC.creator", "Ray, Bo")], "林清, Bo Ray"),
        ([("DC.creator", "Ministry of Canals"), ("author", "Ann Lee")], "Ann Lee"),
        ([("DCTERMS.creator", "Ann Lee, Bo Ray")], "Ann Lee, Bo Ray"),
        ([("DC.creator", "Lee, Ann, 1957-2010")], "Lee, Ann, 1957-2010"),
        ([("citation_author", f"Author, {name}") for name in ("Ann", "Bo", "Cy", "Di", "Ed", "Flo")],
         "Ann Author, Bo Author, Cy Author, Di Author, Ed Author"),
    ],
)  # fmt: skip
def test_authors_of_a_work_in_a_catalogue(metas: list[tuple[str, str]], author: str) -> None:
    head = "".join(f'<meta name="{name}" content="{content}">' for name, content in metas)
    assert fields(f"<title>The lock</title>{head}<p>Abstract of a work on locks.</p>").author == author


@pytest.mark.parametrize(
    "name", ["citation_date", "citation_online_date", "DCTERMS.issued", "citation_publication_date"]
)
def test_the_date_of_a_work_in_a_catalogue(name: str) -> None:
    page = f'<title>The lock</title><meta name="{name}" content="2021/03/04"><p>Added on 2024-05-06</p>'
    assert fields(page).published == "2021-03-04"


@pytest.mark.parametrize(
    ("declared", "shown", "author"),
    [
        ('<meta name="author" content="John Doe">', "By Ann Lee", "Ann Lee"),
        ('<meta name="author" content="105464">', "By Ann Lee", "Ann Lee"),
        ('<meta name="author" content="L_104485">', "x", None),
        ('<meta name="author" content="oec2003">', "x", "oec2003"),
        ('<meta name="author" content="admin">', "作者：佚名", None),
        ('<script type="application/ld+json">{"@type": "Article", "author": {"name": "Admin"}}</script>', "", None),
        ('<script type="application/ld+json">{"@type": "Article", "author": ["root", "Bo"]}</script>', "", "Bo"),
        ('<meta name="generator" content="Forum! X3"><meta name="author" content="Forum! Team and others">', "", None),
        ('<meta name="generator" content="Hugo 0.1"><meta name="author" content="Hugo Weber">', "", "Hugo Weber"),
        ("", "Posted by Admin", None),
        ("", "Posted by <b>admin</b>", None),
    ],
)
def test_what_names_nobody_is_no_author(declared: str, shown: str, author: str | None) -> None:
    assert fields(f"{declared}<p>{shown}</p><p>The lock is open again, says the city.</p>").author == author


def test_the_dateline_of_a_long_paragraph_names_the_author() -> None:
    story = "近日，船闸的下闸门已经修好，下周一重新开放，市里的船都可以再从这里过去。" * 8
    assert fields(f"<p>　　本报讯（记者叶婉）{story}</p>").author == "叶婉"
    assert fields(f"<p>新华社南京5月9日电（记者邹伟、王一）{story}</p>").author == "邹伟, 王一"
    assert fields(f"<p>{story}（记者叶婉）{story}</p>").author is None


def test_the_beginning_of_another_page_names_nobody() -> None:
    begin = "人民网北京5月9日电 （记者栗翘楚）记者今日从市里获悉，5月13日起船闸的下闸门关闭，请从上面的闸门过。"
    assert fields(f'<p>The lock is open.</p><dl><dd><a href="/other">{begin}</a></dd></dl>').author is None


def test_the_label_of_a_reporter_is_no_part_of_the_name() -> None:
    assert fields("<p>The lock is open.</p><p class=author>本报记者 王乐文</p>").author == "王乐文"


@pytest.mark.parametrize(
    "person",
    [
        '<a href="/u/7"><span itemprop="name">Ann Lee</span></a> <b>Member</b> 121',
        '<meta itemprop="image" content="/a.png"><meta itemprop="name" content="Ann Lee">',
    ],
)
def test_the_name_of_a_person_with_other_properties_is_the_author(person: str) -> None:
    stated = f'<div itemprop="author" itemscope itemtype="http://schema.org/Person">{person}</div>'
    assert fields(f"<p>The lock is open.</p>{stated}").author == "Ann Lee"


@pytest.mark.parametrize(
    ("declared", "category"),
    [
        ('<meta name="category" content="post"><meta name="ColumnName" content="通知公告">', "通知公告"),
        ('<meta name="section" content="體育">', "體育"),
        ('<script type="application/ld+json">{"@type": "Article", "articleSection": ["Uncategorized"]}</script>', None),
        ('<p itemprop="articleSection">a</p>', None),
    ],
)
def test_a_kind_of_page_is_no_category(declared: str, category: str | None) -> None:
    assert fields(f"{declared}<title>The lock</title><p>It is open.</p>").category == category


def test_a_declared_headline_is_no_name() -> None:
    declared = '<script type="application/ld+json">{"@type": "NewsArticle", "headline": "By the lock"}</script>'
    assert fields(f"<title>By the lock | Canal News</title>{declared}<p>text</p>").title == "By the lock"


@pytest.mark.parametrize(
    ("shown", "published"),
    [
        ("<span><i class=icon></i> February 21, 2016</span>", "2016-02-21"),
        ("<p>Posted by <a href='/ann'>Ann</a> on Wed 26 May 2021</p>", "2021-05-26"),
        ("<h2>Published April 01, 2013</h2>", "2013-04-01"),
        ('<abbr class="published" title="2004-08-28T10:30:00Z">a Saturday</abbr>', "2004-08-28T10:30:00Z"),
        ("<article><footer>Date: 4 March 2021</footer></article>", "2021-03-04"),
        ("<div><b>2021-03-04</b></div>", "2021-03-04"),
        ("<div>２０２１－０３－０４　作者：王一</div>", "2021-03-04"),
        ("<div>二〇二一年三月四日　本报记者：王一</div>", "2021-03-04"),
        ("<div>二○二一年十二月三十一日</div>", "2021-12-31"),
        ("<div>文／王一　民國110年3月4日</div>", "2021-03-04"),
        ("<div>作者：陳文達　民國九十三年五月八日</div>", "2004-05-08"),
        ("<div>民國一百一十三年十二月三日</div>", "2024-12-03"),
        ("<div>民國一百年一月一日</div>", "2011-01-01"),
        (
            '<script type="application/ld+json">{"@id": "x", "pubDate": "2020-06-07T10:11:12"}</script>',
            "2020-06-07T10:11:12",
        ),
        ("<p>吴先生生于一九一四年五月十九日，" + 9 * "自幼学棋，后来东渡，" + "</p>", None),
        ("<div>二〇二一年二月三十日</div>", None),
        ("<h2>What the lock of 4 March 2021 means for boats</h2>", None),
        ("<p>The lock, which is <b>4 March 2021</b> in all the books of the town, " + 30 * "and more " + "</p>", None),
        ("<p>" + 30 * "It rained, and " + "we went to <a href='/lock'>the lock</a> on March 4, 2021.</p>", None),
        ("<ul><li><a href='/1'>The first lock</a> 2021-03-04</li></ul>", None),
        ("<dl><dd><strong>Joined:</strong> March 4, 2021</dd></dl>", None),
        ("<div class='comments'><div><i></i> March 4, 2021</div></div>", None),
        ("<p><b>Ann</b> Joined: March 4, 2021</p>", None),
        ("<p><b>Lock</b> Last updated: March 4, 2021</p><p><b>Posted</b> May 1, 2020</p>", "2020-05-01"),
        (
            '<p>on <span property="dc:date dc:created" content="2021-03-04T10:00:00+01:00">04/03/2021</span></p>',
            "2021-03-04T10:00:00+01:00",
        ),
        ('<p><span property="schema:dateCreated" content="2021-03-04">04/03/2021</span></p>', "2021-03-04"),
        ('<div class="comment"><i property="dc:date dc:created" content="2021-03-04">4/3/21</i></div>', None),
        ("<p>编辑于 2021-03-04</p><div class='comments'><p><span>2021-03-05</span></p></div>", "2021-03-04"),
        ("<p><i>" + 30 * "It rained, and " + "we went to the lock on</i> <b>March 4, 2021</b></p>", None),
        ('<p>Added by Ann <a title="2021-03-04 14:02" href="/on/2021">almost 2 years</a> ago</p>', "2021-03-04T14:02"),
        ('<p>由 林清 在 <a title="2021-03-04 14:02" href="/on/2021">将近 2 年</a> 之前添加</p>', "2021-03-04T14:02"),
        (
            '<p>asked <relative-time datetime="2021-03-04T14:02:00+01:00">a year ago</relative-time></p>',
            "2021-03-04T14:02:00+01:00",
        ),
        (
            '<p>Updated <i title="2022-03-04 14:02">a year ago</i></p><p><i title="2021-03-04 14:02">Made so</i></p>',
            "2021-03-04T14:02",
        ),
        ('<p><a title="The lock on 2021-03-04" href="/lock">The lock</a></p>', None),
        ('<div class="comments"><p><i title="2021-03-04 14:02">a year ago</i></p></div>', None),
    ],
)
def test_date_a_page_shows(shown: str, published: str | None) -> None:
    assert fields(f"<title>The lock</title><h1>The lock</h1>{shown}<p>It is open.</p>").published == published


@pytest.mark.parametrize(
    ("path", "published"),
    [
        ("/2016/02/21/lock", "2016-02-21"),
        ("/blog/2016/2/1/lock.html?p=1", "2016-02-01"),
        ("/2016/02/21/", None),
        ("/2016/02/31/lock", None),
        ("/lock?of=/2016/02/21/lock", None),
    ],
)
def test_a_page_without_a_date_has_that_of_its_url(path: str, published: str | None) -> None:
    assert _date_at(path, "<p>text</p>") == published
    declared = "<meta property='article:published_time' content='2021-03-04'>"
    assert _date_at(path, f"{declared}<p>text</p>") == "2021-03-04"


@pytest.mark.parametrize(
    ("path", "shown", "published"),
    [
        ("/2016/02/21/lock", "2014-05-06", "2016-02-21"),
        ("/blog/2016/2/21/lock/index.html", "2021-03-04", "2016-02-21"),
        ("/2016/02/21/lock/", "2016-02-22T01:30:00Z", "2016-02-22T01:30:00Z"),
        ("/2016/02/21/lock", "2016-02-23", "2016-02-21"),
        ("/2016/02/21/locks-of-the-river/upper-lock/", "2014-05-06", "2014-05-06"),
        ("/2016/02/31/lock", "2014-05-06", "2014-05-06"),
        ("/lock", "2014-05-06", "2014-05-06"),
    ],
)
def test_the_day_in_the_url_of_a_post_is_its_date_where_its_text_tells_of_another(
    path: str, shown: str, published: str
) -> None:
    assert _date_at(path, f"<p>{shown}</p><p>It opened.</p>") == published


def _date_at(path: str, html: str) -> str | None:
    page = analyse(
        f"<title>The lock</title>{html}".encode(), f"http://a.example{path}", tokenizer=make_tokenizer("words")
    )
    return page_fields(page).published


def test_a_heading_that_leads_home_is_the_site() -> None:
    home = '<h1><a href="/">Canal News</a></h1>'
    assert (
        fields(f"<title>Canal News</title>{home}<article><h1>The lock reopens #</h1></article>").title
        == "The lock reopens"
    )
    assert fields(f"<title>Locks - Canal News</title>{home}<p>text</p>").title == "Locks"


LISTED_POST = (
    '<div class="post"><h2><a href="/gate">The gate</a></h2><p class="meta">By Ann Lee, '
    '<time datetime="2021-03-04">4 March 2021</time> in <a href="/categories/water/" rel="category">Water</a></p>'
    "<p>The lower gate of the lock is closed for repairs until the end of May.</p></div>"
)


@pytest.mark.parametrize(
    ("path", "body", "listed"),
    [
        ("/tags/lock/", "<body>", True),
        ("/%E6%A0%87%E7%AD%BE/%E9%97%B8/index.html", "<body>", True),
        ("/categories/water/page/2/", "<body>", True),
        ("/author/ann/", "<body>", True),
        ("/archives/2021/03/", "<body>", True),
        ("/blog/2021/03/", "<body>", True),
        ("/page/7/", "<body>", True),
        ("/locks/", '<body class="archive term-lock">', True),
        ("/archives/2021030417/", "<body>", False),
        ("/2021/03/04/", "<body>", False),
        ("/lock/page/2/", "<body>", True),
        ("/locks/", "<body>", False),
        ("/category/gate.html", '<meta property="og:type" content="article"><body>', False),
    ],
)
def test_a_page_that_lists_one_post_has_none_of_its_fields(path: str, body: str, listed: bool) -> None:
    html = f"{body}<h1>Locks</h1>{LISTED_POST}"
    page = analyse(html.encode(), f"http://a.example{path}", tokenizer=make_tokenizer("words"))
    found = page_fields(page)
    shown = (found.published, found.author, found.category)
    assert shown == ((None, None, None) if listed else ("2021-03-04", "Ann Lee", "Water"))


def test_a_page_that_lists_posts_has_what_it_declares_and_its_crumbs_say() -> None:
    crumbs = '<div class="breadcrumbs"><a href="/">Home</a> › <a href="/category/water/">Water</a> › Locks</div>'
    head = '<meta name="author" content="Bo Ray"><meta name="date" content="2022-01-02">'
    html = f"{head}{crumbs}<h1>Locks</h1>{LISTED_POST}"
    page = analyse(html.encode(), "http://a.example/category/water/locks/", tokenizer=make_tokenizer("words"))
    assert page_fields(page) == PageFields("Locks", "2022-01-02", "Bo Ray", "Water")


def linked(data: str) -> str:
    return f'<title>The lock</title><script type="application/ld+json">{data}</script>'


@pytest.mark.parametrize("kind", ["Event", "MusicEvent", "Festival"])
def test_the_day_of_an_event_is_no_date_of_its_page(kind: str) -> None:
    head = linked(f'{{"@type": "{kind}", "startDate": "2024-05-06T19:00+01:00", "endDate": "2024-05-07"}}')
    shown = '<p><abbr title="2024-05-06">May 6</abbr> to 7 May 2024</p>'
    assert fields(f"{head}{shown}").published is None
    assert fields(f"{head}{shown}<p>Published on 3 April 2024</p>").published == "2024-04-03"
    page = analyse(head.encode(), "http://a.example/2024/05/06/lock/", tokenizer=make_tokenizer("words"))
    assert page_fields(page).published is None


@pytest.mark.parametrize(
    "shown",
    [
        '<time itemprop="startDate" datetime="2024-05-06">Monday</time>',
        '<meta><span itemprop="priceValidUntil">2024-05-06</span>',
        '<abbr class="published dtstart" title="2024-05-06">Monday</abbr>',
        '<time class="dt-end" datetime="2024-05-06">Monday</time>',
    ],
)
def test_a_date_marked_as_that_of_an_event_or_an_offer_is_not_the_pages(shown: str) -> None:
    assert fields(f"<title>The lock</title><p>{shown}</p>").published is None


def test_the_dates_and_authors_of_reviews_are_not_the_pages() -> None:
    review = '{"@type": "Review", "author": {"@type": "Person", "name": "Ann Lee"}, "datePublished": "2024-05-06"}'
    shown = '<div><span class="author">Ann Lee</span> <time datetime="2024-05-06">May 6</time> holds well</div>'
    found = fields(linked(f'{{"@type": "Product", "review": [{review}, {review}]}}') + shown)
    assert (found.author, found.published) == (None, None)
    of_one = fields(linked(f'{{"@type": "Product", "review": {review}}}') + shown)
    assert (of_one.author, of_one.published) == ("Ann Lee", "2024-05-06")


@pytest.mark.parametrize("data", ['{"@type": ["Event", 3], "startDate": {}}', '{"review": [1, {"author": [2]}, {}]}'])
def test_what_is_odd_in_linked_data_of_other_things_is_passed_over(data: str) -> None:
    assert fields(linked(data) + "<p>Published on 3 April 2024</p>").published == "2024-04-03"
