"""Scope and budgets: links that may enter the frontier, and links that wait behind all others.

An endless calendar yields new URLs of one shape for ever. A shape, or a host, may spend a base number of fetches
without a find; each find buys more. So a site full of wanted pages is never cut short, and a trap always is: its other
links wait behind all others, and are dropped after a few times as many fetches, since what is infinite must not outlive
what is finite. Links far from any relevant page (a long *tunnel*) wait in the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass

from focuscrawl.crawler.dead_links import DeadLinks
from focuscrawl.crawler.mazes import Mazes
from focuscrawl.crawler.repeats import Repeats, SpaceRepeats
from focuscrawl.crawler.standing import Standing
from focuscrawl.crawler.url_shapes import url_pattern
from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.urls import host_of, registered_domain
from focuscrawl.records import Entry, PageEvent
from focuscrawl.storage.unasked import BANNED, HOST_SPENT, PATTERN_SPENT
from focuscrawl.topic.url_patterns import UrlPatterns
from focuscrawl.types import HostKey, UrlKey

# Each find lets this many more pages of the shape (or host) be fetched: a harvest of one in fifty still pays.
_PER_FIND = 50
# Off-topic pages in a row, pages of one listing counted once, after which links wait behind all others; and after
# which they are dropped.
_TUNNEL, _LAST_TUNNEL = 20, 100
# Budgets a key may spend with links that waited behind all others.
_BUDGETS = 4
# A domain most of whose pages are copies; a folder of it is told apart much sooner.
_CLONED_PAGES, _CLONED = 10, 0.6
# Keys counted at once, about 0.2 kB each. Most addresses of the web are a shape of their own, fetched once.
_MAX_KEYS = 100_000
# Hosts whose verdict by the rules is remembered; a crawl of weeks meets links to millions.
_MAX_HOSTS = 20_000


@dataclass(frozen=True, slots=True)
class ScopeRules:
    """The `[scope]` table of a topic file."""

    allow_hosts: Sequence[str] = ()
    deny_hosts: Sequence[str] = ()
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    max_depth: int | None = None  # no limit


class Scope:
    """Decides by URL, host and depth. A host rule covers the host itself and everything below it."""

    def __init__(self, rules: ScopeRules) -> None:
        self.max_depth = rules.max_depth
        self._allow = frozenset(h.lower() for h in rules.allow_hosts)
        self._deny = frozenset(h.lower() for h in rules.deny_hosts)
        self._include = UrlPatterns(rules.include)
        self._exclude = UrlPatterns(rules.exclude)
        self._banned: frozenset[str] = frozenset()
        self._hosts: dict[HostKey, str] = {}

    def ban(self, *hosts: str) -> None:
        """Keep out of hosts, and of all below them, from now on: what the user said while the crawl ran."""
        self._banned |= {host.lower() for host in hosts}
        self._hosts.clear()

    @property
    def banned(self) -> frozenset[str]:
        """Hosts banned while the crawl ran."""
        return self._banned

    def is_banned(self, host: HostKey) -> bool:
        """Tell whether a host, or one above it, was banned while the crawl ran."""
        return bool(self._banned) and not self._banned.isdisjoint(_and_above(host))

    def refusal(self, url: str, host: HostKey, depth: int) -> str:
        """Return why the URL is out of scope, '' when it is in."""
        if self.max_depth is not None and depth > self.max_depth:
            return "deeper than max_depth"
        verdict = self._hosts.get(host)
        if verdict is None:
            if len(self._hosts) >= _MAX_HOSTS:
                self._hosts.clear()
            verdict = self._hosts[host] = self._host_refusal(host)
        if verdict:
            return verdict
        if self._include and not self._include.match(url):
            return "matches no include pattern"
        if self._exclude and self._exclude.match(url):
            return "matches an exclude pattern"
        return ""

    def _host_refusal(self, host: HostKey) -> str:
        if self.is_banned(host):
            return BANNED
        above = _and_above(host)
        if self._deny.intersection(above):
            return "host is denied"
        if self._allow and not self._allow.intersection(above):
            return "host is not among allow_hosts"
        return ""


def _and_above(host: HostKey) -> list[str]:
    """Return a host, its name without the port, and all names above it."""
    if host.startswith("["):  # nothing is above an address of IPv6
        return [host, host.partition("]")[0] + "]"]
    name = host.partition(":")[0]
    return [host, name] + [name[i + 1 :] for i, c in enumerate(name) if c == "."]


class FruitlessBudget:
    """Counts fetches and finds of every key; a key is spent when fetches outrun base + 50 × finds.

    Parameters
    ----------
    base
        Fetches without a find.
    max_keys
        How many keys are counted; beyond, those fetched least are forgotten, down to half of them. So an endless space
        is seen through as long as one in some ten thousand pages is of it (lossy counting: Manku and Motwani,
        Approximate frequency counts over data streams, VLDB 2002).
    """

    def __init__(self, base: int, *, max_keys: int = _MAX_KEYS) -> None:
        self.base = base
        self.max_keys = max_keys
        self.any_spent = False  # whether a key has ever come to its base; until then no key need be looked up
        self._fetched: Counter[str] = Counter()
        self._found: Counter[str] = Counter()

    def fetched(self, key: str, *, found: bool) -> None:
        """Count a fetched page."""
        fetched = self._fetched[key] = self._fetched[key] + 1
        if fetched >= self.base:
            self.any_spent = True
        if found:
            self._found[key] += 1
        if len(self._fetched) > self.max_keys:
            self._forget()

    def credit(self, key: str) -> None:
        """Count a find that a page of this key led to: listings are not finds themselves but lead to them."""
        self._found[key] += 1

    def spent(self, key: str) -> int:
        """Return how many budgets this key has spent; 0 while it is inside its first."""
        fetched = self._fetched.get(key, 0)
        if fetched < self.base:
            return 0
        return max(0, fetched - _PER_FIND * self._found.get(key, 0)) // self.base

    def _forget(self) -> None:
        least, kept = 1, self._fetched
        while len(kept) > self.max_keys // 2:
            kept = Counter({key: count for key, count in kept.items() if count > least})
            least *= 2
        self._fetched = kept
        self._found = Counter({key: count for key, count in self._found.items() if key in kept})


class Budgets:
    """Budget per registered domain, per URL pattern, and per branch of the discovery tree; a budget of 0 means none.

    The domain counts, not the host name: a wildcard name server makes hosts without end. A page that repeats another
    is no find, and the links of a space whose pages mostly repeat others wait (`Repeats`). One that another domain led
    to counts for the links of that domain to this one only.
    """

    def __init__(
        self, *, per_host: int, per_pattern: int, domain_of: Callable[[HostKey], str] = registered_domain
    ) -> None:
        self._hosts = FruitlessBudget(per_host) if per_host else None
        self._patterns = FruitlessBudget(per_pattern) if per_pattern else None
        clones, between = (Repeats(least=_CLONED_PAGES, share=_CLONED, per_find=1) for _ in range(2))
        self._repeats = SpaceRepeats(Repeats(), clones) if per_pattern else None
        self._between = between if per_pattern else None  # of links from one domain to another
        self._dead = DeadLinks() if per_pattern else None
        self._mazes = Mazes() if per_pattern else None
        self._standing = Standing() if per_host else None
        self._domain_of = domain_of

    def vouch(self, hosts: Iterable[HostKey]) -> None:
        """Let the domains of seeds take as much of the crawl as they have."""
        if self._standing is not None:
            for host in hosts:
                self._standing.vouch(self._domain_of(host))

    def linked(self, host: HostKey, targets: Iterable[HostKey]) -> None:
        """Note the hosts that a page of `host` links to."""
        others = {target for target in targets if target != host}
        if self._standing is not None and others:
            self._standing.linked(self._domain_of(host), sorted(map(self._domain_of, others)))

    def led_on(self, page: PageAnalysis, entry: Entry, recent: Container[UrlKey]) -> None:
        """Note where a page leads; `recent` are the links seen recently before it."""
        if self._mazes is None or not entry.url.startswith("http"):  # listings of ftp name what is below them only
            return
        domain, menu = self._domain_of(page.host), page.site_wide.links
        own = [
            link.key
            for link in page.links
            if link.key not in menu and (link.host == page.host or self._domain_of(link.host) == domain)
        ]
        self._mazes.fetched(entry.key, entry.url, domain, entry.origin.parent, own, recent)

    def tried(self, url: str, host: HostKey, source: HostKey, *, gave_page: bool) -> None:
        """Count the fetch of a link that stood on a page of the host `source`, by its own address."""
        if self._dead is not None:
            self._dead.fetched(url, self._domain_of(host), self._domain_of(source), gave_page=gave_page)

    def fetched(
        self,
        url: str,
        host: HostKey,
        *,
        found: bool,
        parent_url: str = "",
        repeats: bool = False,
        closed: bool = False,
        gave_page: bool = True,
    ) -> None:
        """Count a fetch; a find also credits the pattern of the page that led to it.

        Parameters
        ----------
        closed
            Whether the page has parameters, and all its links had been seen.
        gave_page
            Whether it gave a page. One that gave none has no share in the crawl: a site may name thousands of pages
            that are gone, of hosts that are, too.
        """
        domain = self._domain_of(host)
        if parent_url:
            self.linked(host_of(parent_url), (host,))
        if self._standing is not None and gave_page:
            self._standing.fetched(domain, host)
        if self._hosts is not None:
            self._hosts.fetched(domain, found=found)
        if self._patterns is not None:
            self._patterns.fetched(url_pattern(url), found=found)
            if found and parent_url:
                self._patterns.credit(url_pattern(parent_url))
        source = self._domain_of(host_of(parent_url)) if parent_url else domain
        if self._between is not None and source != domain:
            self._between.fetched((_way(source, domain),), repeats=repeats, found=found)
            if repeats:
                return  # whoever sends to one page under many addresses says nothing of the site that has it
        if self._repeats is not None:
            self._repeats.fetched(url, domain, repeats=repeats, closed=closed, found=found)

    def learn(self, event: PageEvent, *, gave_page: bool = True) -> None:
        """Count a fetch, of this process or another worker, that gave a page or none."""
        self.fetched(
            event.url,
            event.host,
            found=event.leads and not event.repeats,
            parent_url=event.parent_url,
            repeats=event.repeats,
            closed=event.closed,
            gave_page=gave_page,
        )

    def spent(self, url: str, host: HostKey) -> tuple[int, str]:
        """Return how many times the budget of a link's host or pattern is spent, and which one it is."""
        if self._hosts is not None and self._hosts.any_spent:
            times = self._hosts.spent(self._domain_of(host))
            if times:
                return times, HOST_SPENT
        if self._patterns is not None and self._patterns.any_spent:
            times = self._patterns.spent(url_pattern(url))
            if times:
                return times, PATTERN_SPENT
        return 0, ""

    def refusal(self, url: str, host: HostKey) -> str:
        """Return why a link is to be dropped, '' when it may be queued."""
        times, reason = self.spent(url, host)
        return f"{reason} {times} times" if times >= _BUDGETS else ""

    def held_back(self, url: str, host: HostKey, under_way: Iterable[HostKey] = (), *, source: HostKey = "") -> str:
        """Return why a link waits behind all others however relevant the page it stands on, '' when it does not.

        Parameters
        ----------
        url, host
            Of the link.
        under_way
            Host of each page that is being fetched.
        source
            Host of the page it stands on.
        """
        reason = self.spent(url, host)[1]
        if reason:
            return reason
        domain = self._domain_of(host)
        if self._repeats is not None and (space := self._repeats.behind(url, domain)):
            return f"pages of {space} mostly repeat others"
        home = self._domain_of(source) if source else domain
        if self._between is not None and home != domain and self._between.behind((_way(home, domain),)):
            return f"pages of {domain} that {home} links to mostly repeat others"
        if self._mazes is not None and (maze := self._mazes.behind(url, domain)):
            return maze
        if self._dead is not None and (dead := self._dead.behind(url, domain, self._domain_of(source))):
            return dead
        if self._standing is None:
            return ""
        branch = self._standing.over(domain, host, [(self._domain_of(other), other) for other in under_way])
        return f"{branch} and what was found through it have taken their share of the crawl" if branch else ""

    def last_in_line(self, url: str, host: HostKey, tunnel: int, *, source: HostKey = "") -> str:
        """Return why a link that may be queued waits behind all others, '' when it does not.

        Parameters
        ----------
        url, host
            Of the link.
        tunnel
            Off-topic pages in a row before it.
        source
            Host of the page it stands on.
        """
        if tunnel > _TUNNEL:
            return f"{tunnel} off-topic pages in a row before it"
        return self.held_back(url, host, source=source)


def _way(source: str, domain: str) -> str:
    return f"{source} {domain}"


def too_far(tunnel: int) -> bool:
    """Tell whether a link is so far from any relevant page that it is dropped."""
    return tunnel > _LAST_TUNNEL
