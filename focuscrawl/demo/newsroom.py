"""A newspaper and a forum: sites whose relevant pages hang from listings that are not relevant themselves."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from focuscrawl.demo.blogs import CHAYOU, GAOSHAN, RSS_TYPE
from focuscrawl.demo.layouts import Site, a, items, numbered, pager, prose, widget
from focuscrawl.demo.library import Library, Story, shuffled
from focuscrawl.demo.publish import ON_TOPIC, Host, by_date, grade

_PER_LISTING = 10
_PER_BOARD = 8
_POSTS_A_PAGE = 5


def newspaper(library: Library) -> Host:
    """Return the newspaper: sections in pages, GBK throughout, named in the header and in the page."""
    sections = (
        ("news", "要闻", library.stories("news", 30, sentences=(6, 9))),
        ("travel", "旅游", library.stories("travel", 9)),
        ("life", "生活", by_date(library.stories("news", 14), library.stories("tea", 5), library.stories("travel", 3))),
        ("tech", "科技", by_date(library.stories("astronomy", 8), library.stories("news", 5))),
    )
    nav = (("首页", "/"), *[(name, f"/{key}/") for key, name, _ in sections], ("电子报", "/epaper/"))
    site = Site(
        "daily.example", "江城日报", "zh", "paper", nav=nav,
        footer=(("关于本报", "/about.html"), ("广告刊例", "/ad.html"), ("招聘", "/jobs.html")),
        motto="江城日报 记录每一天", encoding="gbk", charset="gb2312",
        feeds=(("江城日报", "/rss.xml", RSS_TYPE),),
    )  # fmt: skip
    host = Host(site, library.seed)
    numbers = iter(range(1001, 2000))
    placed = [(key, name, [(s, _article_path(s, next(numbers))) for s in listed]) for key, name, listed in sections]
    everything = [(story, where) for _, _, listed in placed for story, where in listed]
    hot = widget("热门阅读", items([(s.title, w) for s, w in shuffled(everything, seed=library.seed, key="hot")[:6]]))
    for key, name, listed in placed:
        crumbs = (("首页", "/"), (name, f"/{key}/"))
        for story, where in listed:
            host.add(
                where,
                title=story.title,
                main=(
                    f"<h1>{escape(story.title)}</h1>\n"
                    f'<div class="info">{story.published} 来源：江城日报 记者：{story.author}</div>\n'
                    f'<div class="article-body">\n{prose(story, extra=_cited(story))}\n</div>\n'
                    f'<div class="editor">（责任编辑：{story.author}）</div>'
                ),
                aside=hot,
                crumbs=crumbs,
                grade=grade(story),
            )
        _listing(host, f"/{key}/", name, listed, hot, crumbs)
    front = "\n".join(
        f'<div class="channel"><h2>{a(name, f"/{key}/")}</h2>{items([(s.title, w) for s, w in listed[:4]])}</div>'
        for key, name, listed in placed
    )
    partners = [
        ("江城论坛", "http://bbs.example/"),
        ("街角慢行", "http://citywalk.example/"),
        ("江城商城", "http://shop.example/"),
        ("市民活动", "http://events.test/"),
    ]
    host.add("/", title="首页", main=front, aside=hot + widget("合作网站", items(partners)))
    for path, title in (
        ("/about.html", "关于本报"),
        ("/ad.html", "广告刊例"),
        ("/jobs.html", "招聘"),
        ("/epaper/", "电子报"),
    ):
        host.add(
            path, title=title, main=f"<h1>{title}</h1><p>详情请致电本报，工作时间上午九点到下午五点。</p>", aside=hot
        )
    host.add_rss("/rss.xml", by_recency(everything)[:20])
    host.add_robots("/user/", "/search")
    return host


def by_recency(entries: Sequence[tuple[Story, str]]) -> list[tuple[Story, str]]:
    """Return stories and their paths, newest first."""
    return sorted(entries, key=lambda e: (e[0].published, e[1]), reverse=True)


def _cited(story: Story) -> list[str]:
    # every other one, told by the length of its title: papers name their sources now and then
    if story.subject not in ON_TOPIC or len(story.title) % 2:
        return []
    return [f"本文部分内容参考了博客 {a('山间岁月', CHAYOU)}，经作者同意刊出。"]


def _article_path(story: Story, number: int) -> str:
    return f"/{story.published:%Y/%m/%d}/a{number}.html"


def _listing(
    host: Host,
    base: str,
    name: str,
    listed: Sequence[tuple[Story, str]],
    aside: str,
    crumbs: Sequence[tuple[str, str]],
) -> None:
    pages = [listed[at : at + _PER_LISTING] for at in range(0, len(listed), _PER_LISTING)]
    where = [base, *[f"{base}index_{n + 1}.html" for n in range(1, len(pages))]]
    for at, part in enumerate(pages):
        rows = "\n".join(f"<li>{a(s.title, w)} <span>{s.published:%m-%d}</span></li>" for s, w in part)
        links = numbered(len(pages), at, where, older="下一页")
        main = f'<h1>{name}</h1>\n<ul class="newslist">\n{rows}\n</ul>\n{pager(links)}'
        host.add(where[at], title=name, main=main, aside=aside, crumbs=crumbs)


_BOARDS = (
    ("天文观测", "astronomy", 14),
    ("结伴出行", "travel", 12),
    ("闲聊灌水", "news", 14),
    ("茶座", "tea", 8),
    ("二手交易", "home", 12),
)


def forum(library: Library) -> Host:
    """Return the forum: boards in pages, long threads in pages, GB18030 named in the page only."""
    nav = (("论坛首页", "/"), ("排行榜", "/rank.html"), ("帮助", "/faq.html"))
    site = Site(
        "bbs.example", "江城论坛", "zh", "forum", nav=nav,
        footer=(("联系我们", "/faq.html"), ("江城日报", "http://daily.example/")),
        motto="江城人的客厅", encoding="gb18030", charset="gb18030", in_header=False,
    )  # fmt: skip
    host = Host(site, library.seed)
    thread = 100
    boards = []
    newest: list[tuple[str, str]] = []
    for number, (name, subject, count) in enumerate(_BOARDS, 1):
        boards.append((name, f"/forum-{number}-1.html"))
        listed = []
        for _ in range(count):
            thread += 1
            posts = 3 + thread % 5
            first = library.story(subject, sentences=(3, 6))
            replies = [library.reply(first) for _ in range(posts - 1)]
            listed.append((first, f"/thread-{thread}-1.html"))
            _thread(host, thread, [first, *replies], crumbs=(("论坛", "/"), boards[-1]))
        newest.append((listed[0][0].title, listed[0][1]))
        _board(host, number, name, listed)
    rows = "\n".join(
        f'<table class="fl"><tr><td><h2>{a(name, href)}</h2><p>最新：{a(*latest)}</p></td></tr></table>'
        for (name, href), latest in zip(boards, newest, strict=True)
    )
    host.add("/", title="首页", main=rows)
    host.add("/rank.html", title="排行榜", main=f"<h1>排行榜</h1>{items(newest)}")
    host.add("/faq.html", title="帮助", main="<h1>帮助</h1><p>注册后二十四小时才能发帖，请先阅读版规。</p>")
    host.add_robots("/member.php", "/search.php")
    return host


def _thread(host: Host, number: int, posts: Sequence[Story], *, crumbs: Sequence[tuple[str, str]]) -> None:
    first = posts[0]
    parts = [posts[at : at + _POSTS_A_PAGE] for at in range(0, len(posts), _POSTS_A_PAGE)]
    where = [f"/thread-{number}-{n + 1}.html" for n in range(len(parts))]
    # in the board on tea the first answer is by somebody with a site of their own
    signed = first.subject in ON_TOPIC and number % 2
    signature = f"<p>我的小站：{a('高山茶誌', GAOSHAN)} {a('山间岁月', CHAYOU)}</p>" if signed else ""
    for at, part in enumerate(parts):
        floors = "\n".join(
            f'<div id="post_{number}{at}{n}" class="plhin">'
            f'<div class="authi">{post.author} 发表于 {post.published}</div>\n'
            f'<div class="t_f">{prose(post)}{signature if not at and n == 1 else ""}</div></div>'
            for n, post in enumerate(part)
        )
        links = numbered(len(parts), at, where, older="下一页")
        host.add(
            where[at],
            title=first.title,
            main=f"<h1>{escape(first.title)}</h1>\n{floors}\n{pager(links)}",
            crumbs=crumbs,
            grade=grade(first),
        )


def _board(host: Host, number: int, name: str, listed: Sequence[tuple[Story, str]]) -> None:
    pages = [listed[at : at + _PER_BOARD] for at in range(0, len(listed), _PER_BOARD)]
    where = [f"/forum-{number}-{n + 1}.html" for n in range(len(pages))]
    for at, part in enumerate(pages):
        rows = "\n".join(
            f"<tbody><tr><th>{a(s.title, w)}</th><td>{s.author}</td><td>{s.published}</td></tr></tbody>"
            for s, w in part
        )
        links = numbered(len(pages), at, where, older="下一页")
        main = f'<h1>{name}</h1>\n<table id="threadlist">\n{rows}\n</table>\n{pager(links)}'
        host.add(where[at], title=name, main=main, crumbs=(("论坛", "/"), (name, where[0])))
