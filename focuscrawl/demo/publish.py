"""Files of one host of the sample web, and the layout of blogs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from focuscrawl.demo.feeds import atom, rss
from focuscrawl.demo.layouts import Site, a, items, numbered, page, pager, prose, widget
from focuscrawl.demo.library import Story, shuffled

# Subjects whose stories are what the demo's topic asks for.
ON_TOPIC = frozenset({"tea", "tea-en", "tea-trad"})
RELEVANT = 2
RELATED = 1


@dataclass(frozen=True, slots=True)
class SampleFile:
    """Answer to a URL of the sample web."""

    body: bytes
    content_type: str
    grade: int = 0  # 2 on topic, 1 related, 0 neither


@dataclass(frozen=True, slots=True)
class Words:
    """Names that a blog gives its parts."""

    older: str
    recent: str
    archive: str
    related: str
    by: str
    previous: str
    following: str


ZH = Words("下一页", "近期文章", "归档", "延伸阅读", "作者", "上一篇", "下一篇")
ZH_HANT = Words("下一頁", "近期文章", "彙整", "延伸閱讀", "作者", "上一篇", "下一篇")
EN = Words("Older posts", "Recent posts", "Archive", "Read next", "by", "Previous", "Next")


@dataclass(slots=True)
class Host:
    """One host under construction: its site, its files, the seed of its chances."""

    site: Site
    seed: int
    files: dict[str, SampleFile] = field(default_factory=dict)

    def url(self, path: str) -> str:
        """Return the absolute address of a path."""
        return f"http://{self.site.host}{path}"

    def add(
        self,
        path: str,
        *,
        title: str,
        main: str,
        aside: str = "",
        head: str = "",
        crumbs: Sequence[tuple[str, str]] = (),
        grade: int = 0,
    ) -> None:
        """Add a page in the site's layout and encoding."""
        text = page(self.site, title=title, main=main, aside=aside, head=head, crumbs=crumbs)
        charset = f"; charset={self.site.charset}" if self.site.in_header else ""
        self._put(path, SampleFile(text.encode(self.site.encoding), f"text/html{charset}", grade))

    def add_text(self, path: str, text: str, *, content_type: str) -> None:
        """Add a file that is no page; XML in the site's encoding, the rest in ASCII."""
        self._put(path, SampleFile(text.encode(self.site.encoding), content_type))

    def add_robots(self, *disallow: str) -> None:
        """Add a robots.txt that closes some paths to everybody."""
        lines = ["User-agent: *", *[f"Disallow: {path}" for path in disallow or ("",)]]
        self.add_text("/robots.txt", "\n".join(lines) + "\n", content_type="text/plain")

    def add_rss(self, path: str, entries: Sequence[tuple[Story, str]]) -> None:
        """Add an RSS feed of stories and their paths."""
        text = rss(self.site, [(story, self.url(where)) for story, where in entries])
        self.add_text(path, text, content_type="application/rss+xml")

    def add_atom(self, path: str, entries: Sequence[tuple[Story, str]]) -> None:
        """Add an Atom feed of stories and their paths."""
        text = atom(self.site, [(story, self.url(where)) for story, where in entries])
        self.add_text(path, text, content_type="application/atom+xml")

    def _put(self, path: str, file: SampleFile) -> None:
        if path in self.files:
            raise ValueError(f"{self.url(path)} is built twice")
        self.files[path] = file


def grade(story: Story) -> int:
    """Return the grade of a page that holds this story and nothing of another subject."""
    return RELEVANT if story.subject in ON_TOPIC else 0


def by_date(*groups: Sequence[Story]) -> list[Story]:
    """Return the stories of all groups, newest first."""
    return sorted((s for group in groups for s in group), key=lambda s: (s.published, s.title), reverse=True)


def blog(
    host: Host,
    stories: Sequence[Story],
    *,
    words: Words,
    path: Callable[[int, Story], str] = lambda number, _: f"/posts/{number}/",
    per_page: int = 6,
    mentions: Mapping[int, str] | None = None,
    grades: Mapping[int, int] | None = None,
    boxes: Sequence[str] = (),
) -> list[tuple[Story, str]]:
    """Lay out a blog: posts, a front page in pages, an archive by month; return the stories with their paths.

    Parameters
    ----------
    host
        Where the files go.
    stories
        Newest first; the oldest is number 1.
    path
        Where a post goes.
    mentions
        Markup of a paragraph with links to elsewhere, by the post's number.
    grades
        Grades of posts that are not those of their subject, by number.
    boxes
        Markup that stands in the side bar of each page.
    """
    mentions, grades = mentions or {}, grades or {}
    entries = [(story, path(len(stories) - at, story)) for at, story in enumerate(stories)]
    recent = widget(words.recent, items([(story.title, where) for story, where in entries[:5]]))
    aside = "\n".join([recent, widget(words.archive, a(words.archive, "/archive/")), *boxes])
    for at, (story, where) in enumerate(entries):
        number = len(stories) - at
        around = []
        if at + 1 < len(entries):
            around.append((f"{words.previous}: {entries[at + 1][0].title}", entries[at + 1][1]))
        if at:
            around.append((f"{words.following}: {entries[at - 1][0].title}", entries[at - 1][1]))
        others = [e for e in shuffled(entries, seed=host.seed, key=host.url(where)) if e[1] != where][:3]
        extra = [mentions[number]] if number in mentions else []
        host.add(
            where,
            title=story.title,
            main=(
                f'<article class="post">\n<h1 class="entry-title">{a(story.title, where)}</h1>\n'
                f'<div class="entry-meta">{story.published.isoformat()} {words.by} {story.author}</div>\n'
                f'<div class="entry-content">\n{prose(story, extra=extra)}\n</div>\n</article>\n'
                f'<nav class="post-navigation">{items(around)}</nav>\n'
                f'<section class="related"><h2>{words.related}</h2>{items([(s.title, w) for s, w in others])}</section>'
            ),
            aside=aside,
            head=f'<link rel="canonical" href="{host.url(where)}">\n',
            grade=grades.get(number, grade(story)),
        )
    _front(host, entries, words, per_page, aside)
    months: dict[str, list[tuple[str, str]]] = {}
    for story, where in entries:
        months.setdefault(f"{story.published:%Y-%m}", []).append((story.title, where))
    listed = "\n".join(f"<h2>{month}</h2>\n{items(links, css='archive')}" for month, links in months.items())
    host.add("/archive/", title=words.archive, main=f"<h1>{words.archive}</h1>\n{listed}", aside=aside)
    return entries


def _front(host: Host, entries: Sequence[tuple[Story, str]], words: Words, per_page: int, aside: str) -> None:
    pages = [entries[at : at + per_page] for at in range(0, len(entries), per_page)]
    where = ["/", *[f"/page/{n + 1}/" for n in range(1, len(pages))]]
    for at, listed in enumerate(pages):
        teasers = "\n".join(
            f'<article class="teaser"><h2>{a(story.title, link)}</h2><p>{story.excerpt}</p></article>'
            for story, link in listed
        )
        links = numbered(len(pages), at, where, older=words.older)
        host.add(where[at], title=host.site.motto, main=f"{teasers}\n{pager(links)}", aside=aside)


def plain_page(
    host: Host, path: str, *, title: str, paragraphs: Sequence[str], links: Sequence[tuple[str, str]] = ()
) -> None:
    """Add a page of its own: about, imprint, links."""
    told = "\n".join(f"<p>{escape(text)}</p>" for text in paragraphs)
    host.add(path, title=title, main=f"<h1>{escape(title)}</h1>\n{told}\n{items(links) if links else ''}")
