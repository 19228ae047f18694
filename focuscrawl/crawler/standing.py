"""Standing of registered domains: how much of a crawl a domain, and all that was found through it, may take.

A link farm costs its owner nothing: a thousand domains that name the topic and link to each other. What it cannot make
are links from elsewhere. So domains are counted as a tree, each below the domain whose page first linked to it, and a
branch may take a fifth of the crawl until enough others link into it. Others are seeds, and the branches directly below
them: however many domains a farm has, it counts once, as the branch it hangs on. Pages that are under way
count as fetched, so the share holds at every moment. What goes beyond waits behind all other links; it is not lost, and
where nothing else waits it is fetched. Seeds are vouched for by the user and bear no limit. One host is no farm: it may
be the site that holds the topic, and what its pages are worth is for the judge to say. So where one host has more than
half of a branch's pages, only the others count, twice.

Sybil-proof limits by independent citations are those of Advogato's trust metric (Raph Levien, Attack-resistant trust
metrics, 2004), with a tree in the place of network flow.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

SHARE = 0.2
"""Of the crawl's pages, for a branch that too few others link into."""
LEAST_PAGES = 200
"""Pages a branch may have in any case: the share of a crawl of 1,000."""
_ENOUGH = 9  # branches whose links lift the limit; half of all there are, where those are fewer,
_FEWEST = 3  # but never less than this
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
        self._citing: dict[str, set[str]] = {}
        self._pairs: set[tuple[str, str]] = set()
        self._counting: set[str] = set()  # seeds and branches below them with fetched pages, as far as they count
        self._of_host: dict[str, int] = {}
        self._leader: dict[str, str] = {}  # branch -> the host that has most of its pages
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
            sources = list(self._branches(source)) or [source]
            if target not in self._above and target not in sources and len(self._above) < _MAX_DOMAINS:
                # The tree is kept flat enough for every branch to be counted up to its root.
                self._above[target] = source if len(sources) < _MAX_DEPTH - 1 else sources[1]
            for branch in self._branches(target):
                if branch in sources:
                    break  # from inside, and inside all branches above
                citing = self._citing.get(branch)
                if citing is None:
                    if len(self._citing) >= _MAX_DOMAINS:
                        continue
                    citing = self._citing[branch] = set()
                if len(citing) < _ENOUGH:
                    citing.add(sources[-1])

    def fetched(self, domain: str, host: str) -> None:
        """Count a fetched page of a host, which belongs to `domain`."""
        self.pages += 1
        of_host = self._of_host.get(host, 0) + 1
        if of_host > 1 or len(self._of_host) < _MAX_DOMAINS:
            self._of_host[host] = of_host
        root = domain
        for branch in self._branches(domain):
            self._pages[branch] = self._pages.get(branch, 0) + 1
            if of_host > self._of_host.get(self._leader.get(branch, ""), 0) or branch not in self._leader:
                self._leader[branch] = host
            self._large = max(self._large, self._counted(branch))
            root = branch
        if len(self._counting) < 2 * _ENOUGH:
            self._counting.add(root)

    def over(self, domain: str, host: str, under_way: Collection[tuple[str, str]] = ()) -> str:
        """Return the branch that would take more than it may with a page of a host, '' for none.

        Parameters
        ----------
        domain, host
            Of the page, the host belonging to the domain.
        under_way
            Domain and host of each page that is being fetched.
        """
        fetching = [*under_way, (domain, host)]
        all_pages, most = self.pages + len(fetching), 2 * len(fetching)
        if self._large + most <= max(LEAST_PAGES, SHARE * all_pages):
            return ""
        for branch in self._branches(domain):
            allowed = self._allowed(branch, all_pages)
            if self._counted(branch) + most > allowed and self._counted(branch, fetching) > allowed:
                return branch
        return ""

    def _counted(self, branch: str, fetching: Iterable[tuple[str, str]] = ()) -> int:
        """Return the pages of a branch that count: all, or twice those beside a host that has more than half."""
        hosts = [host for domain, host in fetching if branch in self._branches(domain)]
        leader = self._leader.get(branch, "")
        pages = self._pages.get(branch, 0) + len(hosts)
        return min(pages, 2 * (pages - self._of_host.get(leader, 0) - hosts.count(leader)))

    def _allowed(self, branch: str, all_pages: int) -> float:
        enough = min(_ENOUGH, max(_FEWEST, len(self._counting) // 2))
        lifted = len(self._citing.get(branch, ())) >= enough
        return all_pages if lifted else max(LEAST_PAGES, SHARE * all_pages)

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
