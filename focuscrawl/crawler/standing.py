"""Standing of registered domains: how much of a crawl a domain, and all that was found through it, may take.

A link farm costs its owner nothing: a thousand hosts that name the topic and link to each other. What it cannot make
are links from elsewhere. So domains are counted as a tree, each below the domain whose page first linked to it, and a
branch may take a tenth of the crawl, and a tenth more for each domain outside the branch that links into it. What goes
beyond waits behind all other links; it is not lost, and where nothing else waits it is fetched. Seeds are vouched for
by the user and bear no limit. One host is no farm: it may be the site that holds the topic, and what its pages are
worth is for the judge to say. So where one host has more than half of a branch's pages, only the others count, twice.

Sybil-proof limits by independent citations are those of Advogato's trust metric (Raph Levien, Attack-resistant trust
metrics, 2004), with a tree in the place of network flow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

SHARE = 0.1
"""Of the crawl's pages, for the branch and for each citation."""
LEAST_PAGES = 200
"""Pages a branch may have in any case."""
_ENOUGH = 9  # citations after which a branch may take all
_MAX_DEPTH = 30
_MAX_DOMAINS = 200_000
_MAX_PAIRS = 500_000


class Standing:
    """Discovery tree of registered domains with pages and citations of each branch."""

    def __init__(self) -> None:
        self.pages = 0
        self._vouched: set[str] = set()
        self._above: dict[str, str] = {}
        self._pages: dict[str, int] = {}
        self._of_host: dict[str, int] = {}
        self._leading: dict[str, int] = {}  # branch -> pages of the host that has most of them
        self._citing: dict[str, set[str]] = {}
        self._pairs: set[tuple[str, str]] = set()
        self._large = 0  # most that was ever counted of a branch

    def vouch(self, domain: str) -> None:
        """Lift the limit of a domain: it is a seed's."""
        self._vouched.add(domain)

    def linked(self, source: str, targets: Iterable[str]) -> None:
        """Note that a page of `source` links to pages of other domains."""
        for target in targets:
            pair = (source, target)
            if source == target or target in self._vouched or pair in self._pairs:
                continue
            if len(self._pairs) >= _MAX_PAIRS:
                self._pairs.clear()
            self._pairs.add(pair)
            sources = list(self._branches(source))
            if target not in self._above and target not in sources and len(self._above) < _MAX_DOMAINS:
                self._above[target] = source
            for branch in self._branches(target):
                if branch in sources:
                    break  # from inside, and inside all branches above
                citing = self._citing.setdefault(branch, set())
                if len(citing) < _ENOUGH:
                    citing.add(source)

    def fetched(self, domain: str, host: str) -> None:
        """Count a fetched page of a host, which belongs to `domain`."""
        self.pages += 1
        of_host = self._of_host.get(host, 0) + 1
        if of_host > 1 or len(self._of_host) < _MAX_DOMAINS:
            self._of_host[host] = of_host
        for branch in self._branches(domain):
            self._pages[branch] = self._pages.get(branch, 0) + 1
            self._leading[branch] = max(self._leading.get(branch, 0), of_host)
            self._large = max(self._large, self._counted(branch))

    def over(self, domain: str) -> str:
        """Return the branch that has taken more than it may and that `domain` is part of, '' for none."""
        if self._large <= max(LEAST_PAGES, SHARE * self.pages):
            return ""
        for branch in self._branches(domain):
            if self._counted(branch) > self._allowed(branch):
                return branch
        return ""

    def _counted(self, branch: str) -> int:
        """Return the pages of a branch that count: all, or twice those beside a host that has more than half."""
        pages = self._pages.get(branch, 0)
        return min(pages, 2 * (pages - self._leading.get(branch, 0)))

    def _allowed(self, branch: str) -> float:
        citations = len(self._citing.get(branch, ()))
        share = 1.0 if citations >= _ENOUGH else SHARE * (1 + max(citations, 1))
        return max(LEAST_PAGES, share * self.pages)

    def _branches(self, domain: str) -> Iterator[str]:
        """Yield a domain and those above it, up to one that is vouched for."""
        for _ in range(_MAX_DEPTH):
            if domain in self._vouched:
                return
            yield domain
            above = self._above.get(domain)
            if above is None:
                return
            domain = above
