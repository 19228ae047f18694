"""A web directory, a shop, a repair wiki and a town's calendar of events."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from focuscrawl.demo.layouts import Site, a, items, numbered, pager, prose, widget
from focuscrawl.demo.library import Library, Story, chance, shuffled
from focuscrawl.demo.publish import RELATED, Host, grade, plain_page
from focuscrawl.demo.trap import TRAP_START

# Category, then what it lists: name, address, line of description. No entry is about the demo's topic.
_DIRECTORY: tuple[tuple[str, str, tuple[tuple[str, str, str], ...]], ...] = (
    ("Science/Astronomy", "科学 / 天文", (
        ("星夜手记", "http://starlog.example/", "A diary of nights with a small telescope."),
        ("江城论坛 天文观测", "http://bbs.example/forum-1-1.html", "Board of observers."),
    )),
    ("Science/Weather", "科学 / 气象", (("江城日报 科技", "http://daily.example/tech/", "Science pages."),)),
    ("Games/Chess", "游戏 / 国际象棋", (
        ("Board Four", "http://openings.example/", "Games of club players, annotated."),
        ("Chess nights", "http://events.test/", "Where and when to play."),
    )),
    ("Games/Puzzles", "游戏 / 谜题", (("Board Four: archive", "http://openings.example/archive/", "Exercises."),)),
    ("Recreation/Cycling", "休闲 / 骑行", (
        ("Spokes", "http://spokes.example/", "A repair manual that anybody may improve."),
        ("Spokes: all pages", "http://spokes.example/all.html", "Index of the manual."),
    )),
    ("Recreation/Outings", "休闲 / 出游", (
        ("街角慢行", "http://citywalk.example/", "Cities on foot."),
        ("江城日报 旅游", "http://daily.example/travel/", "Travel pages."),
    )),
    ("Home/Gardening", "家居 / 园艺", (("The Green Thumb", "http://greenthumb.example/", "An allotment diary."),)),
    ("Home/Furniture", "家居 / 家具", (("江城商城 家具", "http://shop.example/c/furniture/", "Tables and chairs."),)),
    ("Shopping/Kitchen", "购物 / 厨具", (("江城商城 厨具", "http://shop.example/c/kitchen/", "Pots and pans."),)),
    ("Shopping/General", "购物 / 综合", (("江城商城", "http://shop.example/", "Furniture, kitchen ware and gifts."),)),
    ("News/Daily", "新闻 / 日报", (("江城日报", "http://daily.example/", "The town's newspaper."),)),
    ("News/Local", "新闻 / 本地", (("江城日报 生活", "http://daily.example/life/", "Life in town."),)),
    ("Community/Forums", "社区 / 论坛", (("江城论坛", "http://bbs.example/", "The town talks."),)),
    ("Community/Events", "社区 / 活动", (("Town calendar", "http://events.test/", "What is on, day by day."),)),
    ("Community/Markets", "社区 / 二手", (("江城论坛 二手交易", "http://bbs.example/forum-5-1.html", "Second hand."),)),
)  # fmt: skip


def directory(library: Library) -> Host:
    """Return the web directory: top categories, categories, and the sites they list."""
    tops = list(dict.fromkeys(name.split("/")[0] for name, _, _ in _DIRECTORY))
    site = Site(
        "webdirectory.example", "Open Shelf Directory", "en", "portal",
        nav=(("Home", "/"), ("Add a site", "/add.html"), ("Help", "/help.html")),
        footer=(("Help", "/help.html"),),
        motto="The web by subject",
    )  # fmt: skip
    host = Host(site, library.seed)
    groups = []
    for top in tops:
        inside = [
            (f"{name.split('/')[1]} ({title})", f"/{name}/") for name, title, _ in _DIRECTORY if name.startswith(top)
        ]
        groups.append(f"<td><b>{a(top, f'/{top}/')}</b><br>{', '.join(a(*link) for link in inside)}</td>")
        host.add(f"/{top}/", title=top, main=f"<h1>{top}</h1>{items(inside)}", crumbs=(("Top", "/"),))
    host.add("/", title="The web by subject", main=f"<table><tr>{'</tr><tr>'.join(groups)}</tr></table>")
    for name, title, sites in _DIRECTORY:
        rows = "\n".join(f"<dt>{a(text, href)}</dt><dd>{escape(said)}</dd>" for text, href, said in sites)
        top = name.split("/")[0]
        main = f"<h1>{escape(title)}</h1>\n<dl>\n{rows}\n</dl>"
        host.add(f"/{name}/", title=title, main=main, crumbs=(("Top", "/"), (top, f"/{top}/")))
    plain_page(host, "/help.html", title="Help", paragraphs=["Editors look at each site before they list it."])
    plain_page(host, "/add.html", title="Add a site", paragraphs=["The directory takes no new sites this month."])
    host.add_robots()
    return host


_SHELVES = (("furniture", "家具", "home", 20), ("kitchen", "厨具", "home", 14), ("gift", "礼品", "tea", 5))
_PER_SHELF = 8


def shop(library: Library) -> Host:
    """Return the shop: goods in categories; coffee tables share a character with tea and nothing else."""
    nav = (("首页", "/"), *[(name, f"/c/{key}/") for key, name, _, _ in _SHELVES], ("购物车", "/cart/"))
    site = Site(
        "shop.example", "江城商城", "zh", "shop", nav=nav,
        footer=(("配送说明", "/help/delivery.html"), ("退换货", "/help/returns.html")),
        motto="家里的东西，一次买齐",
    )  # fmt: skip
    host = Host(site, library.seed)
    number = 5000
    shelves: dict[str, list[tuple[Story, str]]] = {}
    for key, _, subject, count in _SHELVES:
        shelves[key] = []
        for _ in range(count):
            number += 1
            shelves[key].append((library.story(subject, sentences=(4, 6)), f"/item/{number}.html"))
    goods = [entry for shelf in shelves.values() for entry in shelf]
    for key, name, subject, _ in _SHELVES:
        for story, where in shelves[key]:
            price = 29 + int(chance(library.seed, where, "price") * 900)
            guess = shuffled(goods, seed=library.seed, key=where)[:6]
            host.add(
                where,
                title=story.title,
                main=(
                    f'<h1 class="sku-name">{escape(story.title)}</h1><div class="price">¥{price}.00</div>\n'
                    f'<button>加入购物车</button>\n<div class="detail">{prose(story)}</div>'
                ),
                aside=widget("猜你喜欢", items([(s.title, w) for s, w in guess])),
                crumbs=(("首页", "/"), (name, f"/c/{key}/")),
                # goods to buy: related to the topic, not about it
                grade=RELATED if subject == "tea" else 0,
            )
        _shelf(host, key, name, shelves[key])
    host.add(
        "/",
        title="首页",
        main="\n".join(f"<h2>{name}</h2>{items(_some(shelves[key]))}" for key, name, _, _ in _SHELVES),
    )
    plain_page(host, "/help/delivery.html", title="配送说明", paragraphs=["市区当天送达，郊区隔天送达，大件另约时间。"])
    plain_page(host, "/help/returns.html", title="退换货", paragraphs=["七天之内保持包装完好，可以退换一次。"])
    plain_page(host, "/cart/", title="购物车", paragraphs=["购物车里还没有东西。"])
    host.add_robots("/cart/", "/search")
    return host


def _some(shelf: Sequence[tuple[Story, str]]) -> list[tuple[str, str]]:
    return [(story.title, where) for story, where in shelf[:5]]


def _shelf(host: Host, key: str, name: str, listed: Sequence[tuple[Story, str]]) -> None:
    pages = [listed[at : at + _PER_SHELF] for at in range(0, len(listed), _PER_SHELF)]
    where = [f"/c/{key}/", *[f"/c/{key}/{n + 1}.html" for n in range(1, len(pages))]]
    for at, part in enumerate(pages):
        rows = "\n".join(
            f'<div class="gl-item"><a href="{link}"><img src="/img{link}.jpg" alt="{escape(story.title)}"></a>'
            f"{a(story.title, link)}</div>"
            for story, link in part
        )
        host.add(
            where[at],
            title=name,
            main=f"<h1>{name}</h1>\n{rows}\n{pager(numbered(len(pages), at, where, older='下一页'))}",
        )


def wiki(library: Library) -> Host:
    """Return the repair wiki, whose pages refer to each other."""
    site = Site(
        "spokes.example", "Spokes", "en", "wiki",
        nav=(("Main page", "/"), ("All pages", "/all.html"), ("Recent changes", "/changes.html")),
        footer=(("About", "/about.html"),),
        motto="The repair manual anybody may improve",
    )  # fmt: skip
    host = Host(site, library.seed)
    stories = library.stories("bicycle", 46)
    entries = [(story, f"/wiki/{_slug(story)}.html") for story in stories]
    for story, where in entries:
        others = [(s.title, w) for s, w in shuffled(entries, seed=library.seed, key=where) if w != where]
        see = f"See also {a(*others[0])} and {a(*others[1])}."
        host.add(
            where,
            title=story.title,
            main=(
                f"<h1>{escape(story.title)}</h1>\n{prose(story, extra=[see])}\n"
                f"<h2>Related pages</h2>{items(others[2:5])}"
            ),
        )
    links = [(story.title, where) for story, where in entries]
    host.add("/", title="Main page", main=f"<h1>{site.motto}</h1>{items(links[:8])}")
    host.add("/all.html", title="All pages", main=f"<h1>All pages</h1>{items(sorted(links))}")
    host.add("/changes.html", title="Recent changes", main=f"<h1>Recent changes</h1>{items(links[:15])}")
    elsewhere = [
        ("The Green Thumb", "http://greenthumb.example/"),
        ("Open Shelf Directory", "http://webdirectory.example/"),
    ]
    plain_page(host, "/about.html", title="About", paragraphs=["Written in workshops."], links=elsewhere)
    host.add_robots("/edit/")
    return host


def events(library: Library) -> Host:
    """Return the town's events; its calendar has a page for each month there ever will be (see `trap`)."""
    site = Site(
        "events.test", "Town Calendar", "en", "portal",
        nav=(("Coming up", "/"), ("Calendar", TRAP_START), ("Past", "/past.html")),
        footer=(("Coming up", "/"),),
        motto="What is on, day by day",
    )  # fmt: skip
    host = Host(site, library.seed)
    stories = [library.story(name, sentences=(5, 7)) for name in ("chess", "bicycle", "gardening") for _ in range(6)]
    stories += [library.story("tea-en", sentences=(5, 7)) for _ in range(3)]
    told = [(s, f"/event/{n}/") for n, s in enumerate(shuffled(stories, seed=library.seed, key="events"), 1)]
    for story, where in told:
        main = f"<h1>{escape(story.title)}</h1><p>Town hall, {story.published}, seven o'clock.</p>\n{prose(story)}"
        host.add(where, title=story.title, main=main, aside=items(_some(told)), grade=grade(story))
    half = len(told) // 2
    host.add("/", title="Coming up", main=f"<h1>Coming up</h1>{items([(s.title, w) for s, w in told[:half]])}")
    host.add("/past.html", title="Past", main=f"<h1>Past</h1>{items([(s.title, w) for s, w in told[half:]])}")
    host.add_robots()
    return host


def _slug(story: Story) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in story.title.lower()).split())
