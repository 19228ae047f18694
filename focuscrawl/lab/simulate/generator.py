"""Generator of webs in which a single difficulty of ranking can be studied.

Every host has a home page, sections with numbered listings, and articles that link to their neighbours. A few hosts
are *topical*: a share of their articles (purity) is on the topic, in a section of its own, which is reached from the
home page through a tunnel of off-topic pages. Anchors say what they lead to as often as `anchor_quality` wants, URLs
as often as `url_quality`.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path

from focuscrawl.errors import ConfigError
from focuscrawl.lab.simulate.generator_knobs import WebKnobs, parse_knobs
from focuscrawl.lab.simulate.vocabulary import LANGUAGES, Language

_LISTING = 10  # articles on a page of a listing
_SUBJECT_SHARE = 0.28  # of an article's words; related articles have a third of it
_CROSS_LINK = 0.2  # chance that a topical article links to one on another host
_TAGGED = 20  # articles on the page of a tag
_SPAM_PAGES = 60  # of a host of spam
_SPAM_SHARE = 0.6  # of the words of a page of spam, a topic's
_PORTAL = "portal.test"
_SECTIONS = ("log", "notes", "column", "series", "posts", "texts", "diary", "papers", "letters", "essays", "shelf")


@dataclass(frozen=True, slots=True)
class _Article:
    host: str
    section: str
    path: str
    subject: str
    grade: int  # on its subject: 2, or 1 for related ones
    title: str

    @property
    def url(self) -> str:
        return f"http://{self.host}/{self.path}"


def generate_webs(knobs: Sequence[str], folder: Path) -> list[str]:
    """Write a web for each text of knobs (see `parse_knobs`) into `folder`, named after its knobs; return the paths."""
    webs = []
    for text in knobs:
        name = re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-") or "plain"
        webs.append(str(generate_web(folder / name, parse_knobs(text))))
    return webs


def generate_web(root: Path, knobs: WebKnobs) -> Path:
    """Write a web into `root` (a new folder) and return it. The same knobs give the same bytes."""
    _Generator(root, knobs).write()
    return root


class _Generator:
    def __init__(self, root: Path, knobs: WebKnobs) -> None:
        self.root = root
        self.knobs = knobs
        self.rng = random.Random(knobs.seed)  # noqa: S311 - reproducible, not secret
        self.language: Language = LANGUAGES[knobs.language]
        names = list(self.language.subjects)
        self.rng.shuffle(names)
        self.topics = names[: knobs.topics]
        self.others = names[knobs.topics :]
        self.hosts = [f"site{n}.test" for n in range(knobs.hosts)]
        shuffled = self.rng.sample(self.hosts, len(self.hosts))
        each = max(1, round(knobs.topical_share * knobs.hosts))
        self.topical = {h: t for i, t in enumerate(self.topics) for h in shuffled[i * each : (i + 1) * each]}
        self.trapped = set(self.rng.sample(self.hosts, min(knobs.traps, len(self.hosts))))
        strange = [h for h in self.hosts if h not in self.topical]
        # Draws for what is switched off would change webs that have nothing of it.
        self.foreign = set(self.rng.sample(strange, round(knobs.foreign * len(strange)))) if knobs.foreign else set()
        self.elsewhere = next(other for code, other in LANGUAGES.items() if code != knobs.language)
        self.spam = [f"spam{n}.test" for n in range(knobs.spam)]
        self.inner: dict[str, str] = {}  # host -> section of its topical articles
        self.articles: dict[str, list[_Article]] = {}

    def write(self) -> None:
        for host in self.hosts:
            self.articles[host] = self._plan(host)
        self.on_topic = {
            t: [a for host in self.hosts for a in self.articles[host] if a.subject == t and a.grade == 2]
            for t in self.topics
        }
        for host in self.hosts:
            if host in self.foreign:
                self.language, own = self.elsewhere, self.language
                self._write_host(host)
                self.language = own
            else:
                self._write_host(host)
        for host in self.spam:
            self._write_spam(host)
        known = [*self.hosts, *self.spam]
        links = [(f"http://{h}/", h.partition(".")[0]) for h in self.rng.sample(known, len(known))]
        self._page(_PORTAL, "", "Directory", self._text(20), links, menu=())
        self._write_labels()

    def _plan(self, host: str) -> list[_Article]:
        knobs, rng, topic = self.knobs, self.rng, self.topical.get(host)
        articles = []
        others = list(self.elsewhere.subjects) if host in self.foreign else self.others
        subjects = rng.sample(others, min(2, len(others)))
        names = rng.sample(_SECTIONS, len(subjects) + 1)  # of no meaning, and others on every host
        if topic is not None and knobs.named and rng.random() < knobs.named:
            names[-1] = topic
        self.inner[host] = names[-1]
        for number in range(knobs.articles):
            at = rng.randrange(len(subjects))
            subject, grade, section = subjects[at], 2, names[at]
            if topic is not None:
                chance = rng.random()
                if chance < knobs.purity:
                    subject, section = topic, names[-1]
                elif chance < knobs.purity + knobs.related:
                    subject, grade = topic, 1
            elif host not in self.foreign and rng.random() < knobs.stray:
                subject = rng.choice(self.topics)
            telling = rng.random() < knobs.url_quality
            # The ASCII name of a subject stands for the transliterations that real URLs have.
            slug = f"{subject}-{number}" if telling and grade == 2 else f"p{number}"
            language = self.elsewhere if host in self.foreign else self.language
            words = language.subjects[subject]
            title = language.joiner.join([rng.choice(words), rng.choice(language.plain), rng.choice(words)])
            articles.append(_Article(host, section, f"{section}/{slug}.html", subject, grade, title))
        return articles

    def _write_host(self, host: str) -> None:
        sections: dict[str, list[_Article]] = {}
        for article in self.articles[host]:
            sections.setdefault(article.section, []).append(article)
        menu = [(f"http://{host}/m{n}.html", self._menu_word(n + 1)) for n in range(self.knobs.boilerplate)]
        menu.insert(0, (f"http://{host}/", self._menu_word(0)))
        if self.knobs.tags:
            menu += self._write_tags(host)
        for url, word in menu[1 : 1 + self.knobs.boilerplate]:
            self._page(host, url.partition(".test/")[2], word, self._text(30), [], menu=menu)
        home = [(f"http://{host}/{s}/", self._anchor(of[0])) for s, of in sections.items() if s != self.inner[host]]
        if self.inner[host] in sections:
            home.append(self._tunnel(host, f"http://{host}/{self.inner[host]}/", menu))
        if host in self.trapped:
            home.append((f"http://{host}/calendar/0.html", self._menu_word(11)))
            self._write_trap(host)
        friends = self.rng.sample(self.hosts, 3)
        home += [(f"http://{h}/", h.partition(".")[0]) for h in friends if h != host]
        self._page(host, "", host.partition(".")[0], self._text(40), home, menu=menu)
        for section, articles in sections.items():
            self._write_section(host, section, articles, menu)

    def _tunnel(self, host: str, target: str, menu: Sequence[tuple[str, str]]) -> tuple[str, str]:
        """Write the pages between the home page and `target`; return the link to the first of them."""
        anchor = self.rng.choice(self.language.dull_anchors)
        if self.inner[host] == self.topical.get(host):
            anchor = self.language.subjects[self.inner[host]][0]
        for depth in range(self.knobs.tunnel, 0, -1):
            path = f"t{depth}.html"
            self._page(host, path, self._text(3), self._text(40), [(target, anchor)], menu=menu)
            target = f"http://{host}/{path}"
        return target, anchor

    def _write_section(
        self, host: str, section: str, articles: list[_Article], menu: Sequence[tuple[str, str]]
    ) -> None:
        listed = articles[:1] if self.knobs.chain else articles
        pages = [listed[i : i + _LISTING] for i in range(0, len(listed), _LISTING)]
        for number, page in enumerate(pages):
            links = [(a.url, self._anchor(a)) for a in page]
            if number + 1 < len(pages):
                links.append((f"http://{host}/{section}/page/{number + 2}/", self.language.dull_anchors[4]))
            path = f"{section}/" if number == 0 else f"{section}/page/{number + 1}/"
            self._page(host, path, self._menu_word(number), self._text(15), links, menu=menu)
        for place, article in enumerate(articles):
            near = [articles[(place + step) % len(articles)] for step in (-1, 1)]
            if not self.knobs.chain:
                near.append(self.rng.choice(articles))
            near += [self._stranger(host) for _ in range(self.knobs.strangers)]
            links = [(a.url, self._anchor(a)) for a in near if a is not article]
            links.append((f"http://{host}/{section}/", self._menu_word(2)))
            fellows = self.on_topic.get(article.subject, []) if article.grade == 2 else []
            if fellows and self.rng.random() < _CROSS_LINK:
                fellow = self.rng.choice(fellows)
                links.append((fellow.url, self._anchor(fellow)))
            share = _SUBJECT_SHARE if article.grade == 2 else _SUBJECT_SHARE / 3
            text = self._text(self.knobs.words, subject=article.subject, share=share)
            self._page(host, article.path, article.title, text, links, menu=menu)

    def _stranger(self, host: str) -> _Article:
        """Return an article of another host."""
        other = self.rng.choice([h for h in self.hosts if h != host])
        return self.rng.choice(self.articles[other])

    def _write_tags(self, host: str) -> list[tuple[str, str]]:
        """Write the pages of a host's tags, one of them of its topic; return the links to them."""
        own, topic = self.articles[host], self.topical.get(host)
        cloud: list[tuple[str, str]] = []
        for number, word in enumerate(self.rng.sample(self.language.plain, self.knobs.tags)):
            tagged = self.rng.sample(own, min(_TAGGED, len(own)))
            if topic is not None and number == self.knobs.tags // 2:
                word = self.language.subjects[topic][0]
                tagged = [a for a in own if a.subject == topic and a.grade == 2]
            path = f"tag/{number}/"
            self._page(host, path, word, self._text(10), [(a.url, self._anchor(a)) for a in tagged], menu=())
            cloud.append((f"http://{host}/{path}", word))
        return cloud

    def _write_spam(self, host: str) -> None:
        """Write a host of spam: words of the topics without order, and links to more of it."""
        for number in range(_SPAM_PAGES):
            topic = self.topics[number % len(self.topics)]
            words = self.language.subjects[topic]
            there = [(self.rng.choice(self.spam), self.rng.randrange(_SPAM_PAGES)) for _ in range(10)]
            links = [
                (f"http://{other}/{n}.html" if n else f"http://{other}/", self.rng.choice(words)) for other, n in there
            ]
            title = self.language.joiner.join(self.rng.sample(words, 4))
            text = self._text(2 * self.knobs.words, subject=topic, share=_SPAM_SHARE)
            self._page(host, f"{number}.html" if number else "", title, text, links, menu=())

    def _write_trap(self, host: str) -> None:
        for day in range(self.knobs.trap_pages):
            nearby = {(day + step) % self.knobs.trap_pages for step in (-1, 1, 7, 30)}
            links = [(f"http://{host}/calendar/{d}.html", str(d)) for d in sorted(nearby)]
            self._page(host, f"calendar/{day}.html", str(day), self._text(8), links, menu=())

    # ------------------------------------------------------------------ text

    def _anchor(self, article: _Article) -> str:
        if self.rng.random() < self.knobs.anchor_quality:
            return article.title
        return self.rng.choice(self.language.dull_anchors)

    def _menu_word(self, number: int) -> str:
        return self.language.menu[number % len(self.language.menu)]

    def _text(self, words: int, *, subject: str = "", share: float = 0.0) -> str:
        language, rng = self.language, self.rng
        own = language.subjects[subject] if subject else language.plain
        chosen = [rng.choice(own if rng.random() < share else language.plain) for _ in range(words)]
        sentences = [language.joiner.join(chosen[i : i + 12]) for i in range(0, words, 12)]
        return (language.stop + language.joiner).join(sentences) + (language.stop if words >= 12 else "")

    def _page(
        self,
        host: str,
        path: str,
        title: str,
        text: str,
        links: Sequence[tuple[str, str]],
        *,
        menu: Sequence[tuple[str, str]],
    ) -> None:
        def items(pairs: Sequence[tuple[str, str]]) -> str:
            return "".join(f'<li><a href="{escape(url)}">{escape(anchor)}</a></li>' for url, anchor in pairs)

        name = path + "index.html" if path == "" or path.endswith("/") else path
        file = self.root / "www" / host / name
        file.parent.mkdir(parents=True, exist_ok=True)
        nav = f'<nav class="menu"><ul>{items(menu)}</ul></nav>' if menu else ""
        file.write_text(
            f'<!doctype html><html lang="{self.language.code}"><head><meta charset="utf-8">'
            f"<title>{escape(title)}</title></head><body>{nav}<main><h1>{escape(title)}</h1><p>{escape(text)}</p>"
            f'<ul class="links">{items(links)}</ul></main></body></html>\n',
            encoding="utf-8",
        )

    # ---------------------------------------------------------------- labels

    def _write_labels(self) -> None:
        for folder in ("topics", "qrels"):
            (self.root / folder).mkdir(parents=True, exist_ok=True)
        plain_homes = [f"http://{h}/" for h in self.hosts if h not in self.topical]
        for topic in self.topics:
            words = self.language.subjects[topic]
            found = self.on_topic[topic]
            if not found:
                raise ConfigError("these knobs leave a topic without a page: raise topical_share, purity or articles")
            data = {
                "id": topic,
                "title": words[0],
                "description": words[0],
                "keywords": list(words[:8]),
                "sample_texts": [self._text(self.knobs.words, subject=topic, share=_SUBJECT_SHARE) for _ in range(3)],
                "seeds": [a.url for a in self.rng.sample(found, min(3, len(found)))],
                "far_seeds": self.rng.sample(
                    plain_homes or [f"http://{self.hosts[0]}/"], min(2, len(plain_homes) or 1)
                ),
                "portal_seeds": [f"http://{_PORTAL}/"],
            }
            text = json.dumps(data, ensure_ascii=False, indent=1)
            (self.root / "topics" / f"{topic}.json").write_text(text, encoding="utf-8")
            labels = [f"{a.url}\t{a.grade}\n" for h in self.hosts for a in self.articles[h] if a.subject == topic]
            (self.root / "qrels" / f"{topic}.tsv").write_text("".join(labels), encoding="utf-8")
        facts = {"name": self.root.name, "lang": self.language.code, "generated": asdict(self.knobs)}
        (self.root / "world.json").write_text(json.dumps(facts, indent=1), encoding="utf-8")
