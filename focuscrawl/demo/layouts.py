"""Layouts of the sample web's sites: blog, newspaper, forum, wiki, shop.

What is passed as `main`, `aside` or `head` is markup; everything else is text and is escaped here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from focuscrawl.demo.library import Story

Anchors = Sequence[tuple[str, str]]  # text, address


@dataclass(frozen=True, slots=True)
class Site:
    """A host of the sample web."""

    host: str
    name: str
    language: str
    style: str  # blog, paper, forum, wiki, portal or shop
    nav: tuple[tuple[str, str], ...]
    footer: tuple[tuple[str, str], ...] = ()
    motto: str = ""
    encoding: str = "utf-8"  # Python's name of the codec
    charset: str = "utf-8"  # what the site calls it
    in_header: bool = True  # the charset stands in Content-Type
    in_meta: bool = True  # the charset stands in a <meta>
    feeds: tuple[tuple[str, str, str], ...] = ()  # title, address, media type


def a(text: str, href: str, *, title: str = "") -> str:
    """Return a link."""
    extra = f' title="{escape(title)}"' if title else ""
    return f'<a href="{escape(href)}"{extra}>{escape(text)}</a>'


def items(links: Anchors, *, css: str = "") -> str:
    """Return a list of links."""
    rows = "".join(f"<li>{a(text, href)}</li>\n" for text, href in links)
    return f'<ul class="{css}">\n{rows}</ul>' if css else f"<ul>\n{rows}</ul>"


def widget(title: str, body: str) -> str:
    """Return a box of a side bar."""
    return f'<div class="widget"><h3>{escape(title)}</h3>\n{body}\n</div>'


def prose(story: Story, *, extra: Sequence[str] = ()) -> str:
    """Return a story's paragraphs; `extra` is markup of paragraphs that stand before the last."""
    told = [f"<p>{escape(text)}</p>" for text in story.paragraphs]
    told[-1:-1] = [f"<p>{line}</p>" for line in extra]
    return "\n".join(told)


def pager(links: Anchors) -> str:
    """Return the links between the pages of a listing."""
    return f'<div class="pagination">{" ".join(a(text, href) for text, href in links)}</div>' if links else ""


def page(site: Site, *, title: str, main: str, aside: str = "", head: str = "", crumbs: Anchors = ()) -> str:
    """Return a whole page in the style of its site."""
    meta = f'<meta charset="{site.charset}">\n' if site.in_meta else ""
    feeds = "".join(
        f'<link rel="alternate" type="{kind}" title="{escape(name)}" href="{escape(href)}">\n'
        for name, href, kind in site.feeds
    )
    wrap = _SKELETONS[site.style]
    return (
        f'<!DOCTYPE html>\n<html lang="{site.language}">\n<head>\n{meta}'
        f"<title>{escape(title)} - {escape(site.name)}</title>\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<link rel="stylesheet" href="/static/site.css">\n{feeds}{head}</head>\n'
        f"{wrap(site, main, aside, _crumbs(crumbs))}\n</html>\n"
    )


def _crumbs(links: Anchors) -> str:
    return f'<div class="breadcrumb">{" &gt; ".join(a(text, href) for text, href in links)}</div>' if links else ""


def _footer(site: Site) -> str:
    said = "保留所有权利" if site.language.startswith("zh") else "All rights reserved"
    if site.language == "zh-Hant":
        said = "保留所有權利"
    links = " | ".join(a(text, href) for text, href in site.footer)
    return f'<p>{links}</p>\n<p class="copyright">&copy; 2026 {escape(site.name)}. {said}.</p>'


def _blog(site: Site, main: str, aside: str, crumbs: str) -> str:
    return (
        f'<body class="blog">\n<header id="masthead"><h1 class="site-title">{a(site.name, "/")}</h1>\n'
        f'<p class="site-description">{escape(site.motto)}</p>\n'
        f'<nav id="site-navigation">{items(site.nav, css="menu")}</nav></header>\n'
        f'<div id="content"><main id="primary">\n{crumbs}{main}\n</main>\n'
        f'<aside id="secondary" class="sidebar">\n{aside}\n</aside></div>\n'
        f'<footer id="colophon">{_footer(site)}</footer>\n</body>'
    )


def _paper(site: Site, main: str, aside: str, crumbs: str) -> str:
    channels = " ".join(a(text, href) for text, href in site.nav)
    return (
        f'<body>\n<div class="topbar">{escape(site.motto)} {a("登录", "/user/login")} '
        f"{a('注册', '/user/register')}</div>\n"
        f'<div class="header"><a href="/"><img src="/static/logo.png" alt="{escape(site.name)}"></a></div>\n'
        f'<div class="nav">{channels}</div>\n'
        f'<div class="wrap"><div class="left">\n{crumbs}{main}\n</div>\n<div class="right">\n{aside}\n</div></div>\n'
        f'<div class="footer">{_footer(site)}</div>\n</body>'
    )


def _forum(site: Site, main: str, aside: str, crumbs: str) -> str:
    bar = "".join(f"<li>{a(text, href)}</li>" for text, href in site.nav)
    return (
        f'<body id="nv_forum">\n<div id="hd"><h2>{a(site.name, "/")}</h2><div id="nv"><ul>{bar}</ul></div></div>\n'
        f'<div id="wp" class="wp">\n<div id="pt">{crumbs}</div>\n<div id="ct">\n{main}\n</div>\n'
        f'<div id="sd">{aside}</div>\n</div>\n<div id="ft">{_footer(site)}</div>\n</body>'
    )


def _wiki(site: Site, main: str, aside: str, crumbs: str) -> str:
    return (
        f'<body class="wiki">\n<div id="sidebar" role="navigation"><p>{a(site.name, "/")}</p>\n'
        f"{items(site.nav)}\n{aside}</div>\n"
        f'<div id="article">\n{crumbs}{main}\n</div>\n<div id="footer">{_footer(site)}</div>\n</body>'
    )


def _portal(site: Site, main: str, aside: str, crumbs: str) -> str:
    return (
        f'<body>\n<table width="100%"><tr><td>{a(site.name, "/")}</td>'
        f"<td>{' · '.join(a(text, href) for text, href in site.nav)}</td></tr></table>\n"
        f"{crumbs}\n{main}\n{aside}\n<hr>\n<center><small>{_footer(site)}</small></center>\n</body>"
    )


def _shop(site: Site, main: str, aside: str, crumbs: str) -> str:
    return (
        f'<body>\n<div class="site-nav">{" ".join(a(text, href) for text, href in site.nav)}</div>\n'
        f'<div class="search"><form action="/search"><input name="q"><button>搜索</button></form></div>\n{crumbs}\n'
        f'<section class="goods">\n{main}\n</section>\n<section class="guess">\n{aside}\n</section>\n'
        f'<footer class="site-footer">{_footer(site)}</footer>\n</body>'
    )


_SKELETONS = {"blog": _blog, "paper": _paper, "forum": _forum, "wiki": _wiki, "portal": _portal, "shop": _shop}


def numbered(count: int, current: int, address: Iterable[str], *, older: str) -> list[tuple[str, str]]:
    """Return the links of a listing of `count` pages: the numbers, and the next one by the name `older`."""
    where = list(address)
    links = [(str(n + 1), where[n]) for n in range(count) if n != current]
    return [*links, (older, where[current + 1])] if current + 1 < count else links
