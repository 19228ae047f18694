"""The blogs of the sample web: tea, stars, gardens, chess and travel.

The tea blogs are named nowhere but on pages of other subjects: whoever wants them has to cross those (tunnels).
"""

from __future__ import annotations

from focuscrawl.demo.layouts import Site, a, widget
from focuscrawl.demo.library import Library, Story
from focuscrawl.demo.publish import EN, RELATED, ZH, ZH_HANT, Host, blog, by_date, plain_page

RSS_TYPE = "application/rss+xml"
ATOM_TYPE = "application/atom+xml"
CHAYOU = "http://chayou.example/"
GAOSHAN = "http://gaoshan.test/"


def tea_blog(library: Library) -> Host:
    """Return the large tea blog, with an Atom feed."""
    site = Site(
        "chayou.example", "山间岁月", "zh", "blog",
        nav=(("首页", "/"), ("归档", "/archive/"), ("关于", "/about/")),
        footer=(("关于", "/about/"), ("订阅", "/atom.xml")),
        motto="一个人，一把壶，几座山",
        feeds=(("山间岁月", "/atom.xml", ATOM_TYPE),),
    )  # fmt: skip
    host = Host(site, library.seed)
    stories = by_date(library.stories("tea", 22), library.stories("travel", 4))
    neighbours = f"山里的朋友：{a('高山茶誌', GAOSHAN)}，{a('街角慢行', 'http://citywalk.example/')}"
    entries = blog(host, stories, words=ZH, mentions={5: neighbours, 14: neighbours})
    host.add_atom("/atom.xml", entries[:15])
    plain_page(
        host,
        "/about/",
        title="关于这里",
        paragraphs=["写字的人住在山脚，平时上班，周末上山。", "转载请注明出处，来信请寄信箱。"],
        links=[("高山茶誌", GAOSHAN), ("星夜手记", "http://starlog.example/")],
    )
    host.add_robots()
    return host


def mountain_tea(library: Library) -> Host:
    """Return the tea growers' site in traditional characters and Big5, declared in the page only."""
    site = Site(
        "gaoshan.test", "高山茶誌", "zh-Hant", "portal",
        nav=(("首頁", "/"), ("彙整", "/archive/"), ("聯絡", "/contact.html")),
        footer=(("聯絡", "/contact.html"),),
        motto="三代人的茶園",
        encoding="big5", charset="big5", in_header=False,
    )  # fmt: skip
    host = Host(site, library.seed)
    stories = library.stories("tea-trad", 14, sentences=(6, 9))
    blog(host, stories, words=ZH_HANT, path=lambda number, _: f"/log/{number:03}.html", per_page=7)
    plain_page(
        host,
        "/contact.html",
        title="聯絡",
        paragraphs=["上山之前請先來電，雨天路滑，開車小心。"],
        links=[("山間歲月", CHAYOU)],
    )
    host.add_robots()
    return host


def star_blog(library: Library) -> Host:
    """Return the astronomy blog; its page of links is one way to the tea blog."""
    site = Site(
        "starlog.example", "星夜手记", "zh", "blog",
        nav=(("首页", "/"), ("归档", "/archive/"), ("链接", "/links/"), ("关于", "/about/")),
        footer=(("链接", "/links/"), ("订阅", "/rss.xml")),
        motto="在城市边上看天",
        feeds=(("星夜手记", "/rss.xml", RSS_TYPE),),
    )  # fmt: skip
    host = Host(site, library.seed)
    entries = blog(host, library.stories("astronomy", 36), words=ZH)
    host.add_rss("/rss.xml", entries[:15])
    plain_page(host, "/about/", title="关于", paragraphs=["一台一百五十毫米的反射镜，一辆旧车，几个不睡觉的朋友。"])
    plain_page(
        host,
        "/links/",
        title="链接",
        paragraphs=["常去串门的地方，排名不分先后。"],
        links=[
            ("江城论坛 天文观测", "http://bbs.example/forum-1-1.html"),
            ("街角慢行", "http://citywalk.example/"),
            ("山间岁月", CHAYOU),
            ("The Green Thumb", "http://greenthumb.example/"),
        ],
    )
    host.add_robots("/draft/")
    return host


def garden_blog(library: Library) -> Host:
    """Return the gardening blog; two posts lead to the mountain, a few are about tea."""
    site = Site(
        "greenthumb.example", "The Green Thumb", "en", "blog",
        nav=(("Home", "/"), ("Archive", "/archive/"), ("About", "/about/")),
        footer=(("About", "/about/"), ("RSS", "/feed.xml")),
        motto="An allotment by the railway",
        feeds=(("The Green Thumb", "/feed.xml", RSS_TYPE),),
    )  # fmt: skip
    host = Host(site, library.seed)
    stories = by_date(library.stories("gardening", 34), library.stories("tea-en", 4, sentences=(7, 10)))
    grower = f"The cuttings came from {a('a family of growers in the mountains', GAOSHAN)}, packed in wet moss."
    entries = blog(host, stories, words=EN, path=_dated, mentions={9: grower, 21: grower})
    host.add_rss("/feed.xml", entries[:15])
    plain_page(
        host,
        "/about/",
        title="About",
        paragraphs=["One hundred and fifty square metres, two compost heaps and a robin."],
        links=[("Spokes, the repair wiki", "http://spokes.example/"), ("Town calendar", "http://events.test/")],
    )
    host.add_robots("/private/")
    return host


def chess_blog(library: Library) -> Host:
    """Return the chess blog."""
    site = Site(
        "openings.example", "Board Four", "en", "blog",
        nav=(("Home", "/"), ("Archive", "/archive/"), ("Club", "/about/")),
        footer=(("Club", "/about/"),),
        motto="Club chess, honestly annotated",
    )  # fmt: skip
    host = Host(site, library.seed)
    blog(host, library.stories("chess", 44), words=EN, per_page=8)
    plain_page(
        host,
        "/about/",
        title="The club",
        paragraphs=["We meet on Thursdays in the library; visitors are welcome and seldom win."],
        links=[("Club nights", "http://events.test/"), ("Spokes", "http://spokes.example/")],
    )
    host.add_robots()
    return host


def travel_blog(library: Library) -> Host:
    """Return the travel blog, with tea houses now and then, and copies to print that robots.txt closes."""
    site = Site(
        "citywalk.example", "街角慢行", "zh", "blog",
        nav=(("首页", "/"), ("归档", "/archive/"), ("关于", "/about/")),
        footer=(("关于", "/about/"),),
        motto="用脚认识一座城",
    )  # fmt: skip
    host = Host(site, library.seed)
    mixed = [library.story("travel", mixed="tea") for _ in range(3)]
    stories = by_date(library.stories("travel", 36), library.stories("tea", 3), mixed)
    grades = {len(stories) - at: RELATED for at, story in enumerate(stories) if story in mixed}
    thanks = f"文中几张照片由{a('山间岁月', CHAYOU)}的作者提供，特此感谢。"
    asked = f"有人问起卖炭炉的老店，可以到{a('江城论坛', 'http://bbs.example/')}打听。"
    entries = blog(
        host,
        stories,
        words=ZH,
        path=lambda number, _: f"/walks/{number}.html",
        mentions={11: thanks, 27: thanks, 18: asked},
        grades=grades,
        boxes=[widget("工具", a("打印版目录", "/print/"))],
    )
    for story, where in entries[:6]:
        plain_page(host, f"/print{where}", title=story.title, paragraphs=story.paragraphs)
    printed = [(story.title, f"/print{where}") for story, where in entries[:6]]
    plain_page(host, "/print/", title="打印版目录", paragraphs=["去掉了边栏，适合打印。"], links=printed)
    plain_page(host, "/about/", title="关于", paragraphs=["不赶路，不打卡，走到哪里算哪里。"])
    host.add_robots("/print/")
    return host


def _dated(number: int, story: Story) -> str:
    return f"/{story.published:%Y/%m}/{number}.html"
