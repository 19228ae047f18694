"""First looks at hosts of which little is known, and further ones at those that may be worth more than they showed.

A crawl that follows the best evidence stays where its evidence comes from: links of a well-known host carry the topic's
words, and a host of which nothing is known has little to set against them. So a share of the pages goes to hosts that
have had none, one host after the other, the one with the best link first, as far as the host that has the link is to be
believed (`referrers`). A look is one page: the host's best link is called up, and what the host is worth then, its own
counts say.

A front page may name nothing of what its host is full of. So half of the share goes into further looks at hosts that
have had a page, the best first by *outlook*: the upper end of what the host's rate of relevant pages may be, a
posterior mean and one standard deviation. A host's n-th further look counts 1 / n, so that each has looks in proportion
to its outlook, whatever its links are called, and none waits to the end of a crawl. From the third page on a host is
looked at only while its outlook is better than what the crawl finds anyway. So where the known hosts pay, nothing is
looked at for nothing; where they stop to, every host left on thin evidence gets another chance, and the more pages told
the same, the fewer. Within the host a further look goes to the link that is best by score and group offset, and of each
group only a few links are remembered: what the pages of one section turned out to be sends the next look into another.
First looks have the other half as far as the host that names theirs is to be believed: when hardly any of the hosts
that are left answers, nearly all looks are further ones.

Where the front page of such a host is known and was not fetched, a further look goes there: it says what the site has,
and whom it names. A host that was found by a link to one of its pages is else known by what stands near that page.

A page may be worth as much as a host: the other pages of a directory that has brought hosts will bring as many more
(`scouts`). They wait among the hosts, at the place of the best that their like has brought so far.

The share follows from how well the crawl pays: share * (1 - pay)^2, with pay the recent rate of relevant pages. While
every second page is relevant, little is gained elsewhere; when hardly any is, most pages are better spent on a host
that may hold the topic than on what is left of those that are known. Looks that find nothing are no reason for more of
them: where the rate is higher among the pages that no look called up, it is that one, and every fifth page is not a
look's whatever pays, or nobody would know.

In a fleet one worker, the trainer, makes the looks for all: the others tell it of the links it may look by (`share`).
Four that each made their own earned more looks than there were pages, and none knew the links of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from heapq import nsmallest

from focuscrawl.ranking.look_links import NO_LEAD, Lead, Look, Telling, of_many_groups
from focuscrawl.ranking.referrers import Referrers
from focuscrawl.ranking.scouts import Opened, Scout, Scouts
from focuscrawl.ranking.turns import Turns
from focuscrawl.ranking.waiting_hosts import WaitingHosts
from focuscrawl.records import LookNews
from focuscrawl.types import GroupKey, HostKey, UrlKey

# Pages of other hosts after which a look that gets nowhere ends: the host is slow or refuses. Its page goes to the next
# look, and is paid for when the link comes to a page after all.
_PATIENCE = 60
# Fetches without a page, one after the other, after which a host is looked at no more: one that never gave a page, and
# any other, which may just have dead links.
_MISSES, _MISSES_LATER = 2, 10
_HOSTS = 50_000  # whose links are remembered; a crawl that knows more has no lack of them
_LINKS = 5  # of a host that had no page
_LINKS_LATER = 24  # of any other
_KEPT = 1_000  # hosts that are saved with the run
_OPEN_CREDIT = 3.0  # looks that may be saved up
_FREE = 2  # pages of a host that need no outlook
_FIRST, _FURTHER = range(2)  # kinds of looks


class FirstLooks:
    """See the module's docstring.

    Parameters
    ----------
    share
        Share of the pages that goes into looks when nothing pays, in [0, 1].
    further
        Part of the share that goes into further looks while there are hosts for first ones, in [0, 1].
    outlook
        Tells the outlook of a host that has had pages: what its rate of relevant pages may be, in [0, 1].
    offsets
        Of groups, as they are now: what is known of a group moves its links.
    most
        Of the pages, that the share may come to, in [0, 1].
    """

    def __init__(
        self,
        *,
        share: float,
        further: float,
        outlook: Callable[[HostKey], float],
        offsets: Mapping[GroupKey, float],
        most: float = 1.0,
    ) -> None:
        self.share_of_pages = share
        self._most = most
        self._parts = (1.0 - further, further)  # of first looks and of further ones
        self._outlook = outlook
        self._offsets = offsets
        self._turns = Turns(2)
        self._links: dict[HostKey, list[Lead]] = {}  # best first; none: it is looked at no more
        self.hosts = WaitingHosts(queues=2)  # by the kind of look
        self._fronts: dict[HostKey, Lead] = {}  # to front pages that were not fetched
        self._pages: dict[HostKey, int] = {}
        self._misses: dict[HostKey, int] = {}
        self._fetched = 0  # pages
        # hosts looked at, the first one first -> pages there were when the look began, and the link that was called up
        self._open: dict[HostKey, tuple[int, UrlKey]] = {}
        self._called: dict[UrlKey, Look] = {}  # by links that have come to no page yet
        self.referrers = Referrers()
        self.scouts = Scouts(self.referrers)
        self._looked: dict[HostKey, int] = {}  # further looks that hosts have had
        self._credit = 0.0
        self._calls: dict[UrlKey, float] = {}  # with their scores
        self.telling: Telling | None = None  # where other workers crawl too
        self._makes = True  # looks; else another worker makes them, and this one only knows of what there is

    def add(
        self,
        host: HostKey,
        score: float,
        key: UrlKey,
        referrer: HostKey = "",
        *,
        front: bool = False,
        group: GroupKey = "",
    ) -> None:
        """Take note of a link to `host` with a local score in [0, 1], on a page of `referrer`.

        Parameters
        ----------
        front
            It leads to the front page of `host`.
        group
            Its group in the frontier.
        """
        lead = Lead(score, key, referrer, group)
        if self._note(host, lead, front=front) and self.telling is not None:
            self.telling.link(host, lead, front=front)

    def _note(self, host: HostKey, lead: Lead, *, front: bool) -> bool:
        """Take note of a link; return whether it is one to which a look may go."""
        score, key = lead.score, lead.key
        noted = front and host not in self._fronts and len(self._fronts) < _HOSTS
        if noted:
            self._fronts[host] = lead
        links = self._links.get(host)
        if links is None:
            if len(self._links) >= _HOSTS:
                return noted
            links = self._links[host] = []
        had = host in self._pages
        most = _LINKS_LATER if had else _LINKS
        if (len(links) >= most and score <= links[-1].score) or self._is_dead(host):
            return noted
        for link in links:
            if key == link.key and score <= link.score:
                return noted
        leads = sorted([lead, *(link for link in links if link.key != key)], reverse=True)
        links[:] = (of_many_groups(leads) if had else leads)[:most]
        if self._best(host).key == key:
            self._wait(host)
        return noted or any(link.key == key for link in links)

    def share(self, *, makes: bool) -> None:
        """Take note that other workers crawl too, and whether this one makes the looks for all of them."""
        self._makes = makes
        self.telling = self.telling or Telling()

    def news(self) -> LookNews | None:
        """Return what was noted since the last call and the other workers have to know; None for nothing."""
        return self.telling.take() if self.telling is not None else None

    def observe(self, page: Opened, news: LookNews) -> None:
        """Take note of what another worker has told of a page."""
        for link in news.links:
            self._note(link.host, Lead(link.score, link.key, page.home, link.group), front=link.front)
        self.scouts.opened(page, news.onward)

    def knows(self, host: HostKey) -> bool:
        """Tell whether a link to `host` was seen, or a page of it."""
        return host in self._links or host in self._pages

    def has_called(self, key: UrlKey) -> bool:
        """Tell whether a look has called up the link, and it has come to no page yet."""
        return key in self._called

    def fetched(self, host: HostKey, key: UrlKey, *, pay: float, own: bool = True) -> None:
        """Count a page.

        Parameters
        ----------
        host
            Of the page.
        key
            Of the link it was fetched by.
        pay
            What the crawl finds without looks: the recent rate of relevant pages, in [0, 1].
        own
            This process has fetched it: patience is counted in its own pages, those of others are heard of late.
        """
        self._fetched += own
        self._tried(host, key, gave=True)
        self.scouts.taken(key)
        look = self._called.pop(key, None)
        ended = (host,) if look is None or look.host == host else (host, look.host)  # a redirect led elsewhere
        for one in ended:
            self._misses.pop(one, None)
            self._pages[one] = self._pages.get(one, 0) + 1
            self._strike(one, key)
        for one in ended:
            self._open.pop(one, None)
            self._wait(one)  # its outlook is another one now
        if look is not None and not look.paid:
            self._credit -= 1.0
        self._lose_patience()
        if self._makes:
            self._credit = min(self._credit + min(self.share_of_pages * (1.0 - pay) ** 2, self._most), _OPEN_CREDIT)
            self._look(pay)

    def missed(self, host: HostKey, key: UrlKey) -> None:
        """Count a fetch that gave no page: its look goes to the next host, and one that gives none is passed over.

        The link is struck off: it is not to be called up by a later look.
        """
        self._tried(host, key, gave=False)
        self.scouts.taken(key)
        self._misses[host] = self._misses.get(host, 0) + 1
        if self._is_dead(host):
            self._links[host] = []
        self._strike(host, key)
        look = self._called.pop(key, None)
        if look is not None:
            self._open.pop(look.host, None)
        self._wait(host)
        if look is not None and look.paid:
            self._credit += 1.0
            self._look(1.0)

    def calls(self) -> dict[UrlKey, float]:
        """Return the links since the last call that are to be fetched before all others, with their scores."""
        calls, self._calls = self._calls, {}
        return calls

    def waiting(self) -> list[tuple[HostKey, float, UrlKey, HostKey, bool, GroupKey]]:
        """Return the best links of the best hosts that wait, to be saved with the run.

        Each with score, referrer, whether it leads to the front page of its host, and its group.
        """
        known = ((host, links[0].score) for host, links in self._links.items() if links)
        hosts = nsmallest(_KEPT, known, key=lambda item: (-item[1], item[0]))
        fronts = [(host, self._fronts[host], True) for host, _ in hosts if host in self._fronts]
        links = fronts + [(host, link, False) for host, _ in hosts for link in self._links[host]]
        return [(host, link.score, link.key, link.referrer, front, link.group) for host, link, front in links]

    def looked(self) -> dict[HostKey, int]:
        """Return how many further looks hosts have had, those with the most of them, to be saved with the run."""
        return dict(nsmallest(_KEPT, self._looked.items(), key=lambda item: (-item[1], item[0])))

    def restore(
        self, pages: Mapping[HostKey, float], waiting: object, referrers: object, looked: object = None
    ) -> None:
        """Take up an earlier run: the pages hosts have had, and what was saved of links, referrers and looks."""
        self._pages.update({host: int(count) for host, count in pages.items()})
        for host, count in looked.items() if isinstance(looked, Mapping) else ():
            if isinstance(count, int):  # in a fleet it is what the trainer knows, who may have looked less
                self._looked[str(host)] = max(count, self._looked.get(str(host), 0))
        self.referrers.restore(referrers)
        for row in waiting if isinstance(waiting, Sequence) else ():
            if isinstance(row, list | tuple) and len(row) in (3, 4, 5, 6):  # runs of older versions name less
                missing = ("", False, "")[len(row) - 3 :]
                host, score, key, referrer, front, group = tuple(row) + missing
                self._note(str(host), Lead(float(score), int(key), str(referrer), str(group)), front=bool(front))

    def _best(self, host: HostKey) -> Lead:
        """Return the link of a host that has some by which a first look goes."""
        return max(self._links[host], key=lambda link: link.score * self.referrers.trust(link.referrer))

    def _most_promising(self, host: HostKey) -> Lead:
        """Return the link of a host that has some by which a further look goes."""
        return max(self._links[host], key=lambda link: link.score + self._offsets.get(link.group, 0.0))

    def _tried(self, host: HostKey, key: UrlKey, *, gave: bool) -> None:
        """Tell the referrer what a fetch gave of a host that had no page before."""
        look = self._called.get(key)
        looked_at = host if look is None else look.host
        referrer = "" if look is None else look.referrer
        if not referrer:
            referrer = next((link.referrer for link in self._links.get(host, ()) if link.key == key), "")
        if referrer and looked_at not in self._pages:
            self.referrers.tried(referrer, gave=gave)

    def _lose_patience(self) -> None:
        """End the looks that got nowhere while others came to pages."""
        while self._open:
            host, (begun, key) = next(iter(self._open.items()))
            if self._fetched - begun < _PATIENCE:
                return
            del self._open[host]
            self._wait(host)
            look = self._called.get(key)
            if look is not None:
                self._credit += 1.0
                self._called[key] = look._replace(paid=False)

    def _strike(self, host: HostKey, key: UrlKey) -> None:
        """Take a link off: it was fetched, or is to be."""
        if self._fronts.get(host, NO_LEAD).key == key:
            del self._fronts[host]
        links = self._links.get(host)
        if links:
            links[:] = [link for link in links if link.key != key]

    def _is_dead(self, host: HostKey) -> bool:
        return self._misses.get(host, 0) >= (_MISSES_LATER if host in self._pages else _MISSES)

    def _wait(self, host: HostKey) -> None:
        """Put a host where its best link and its outlook belong, if it has links and is not looked at."""
        if host in self._open:
            return
        if not self._links.get(host):
            self.hosts.remove(host)
        elif host in self._pages:
            self.hosts.put(host, self._outlook(host) / (1 + self._looked.get(host, 0)), queue=_FURTHER)
        else:
            self.hosts.put(host, self._first_value(host), queue=_FIRST)

    def _first_value(self, host: HostKey) -> float:
        link = self._best(host)
        return link.score * self.referrers.trust(link.referrer)

    def _look(self, pay: float) -> None:
        """Call up links for the pages that are due."""
        for host in self.hosts.returned(pay):
            self._wait(host)
        while self._credit >= 1.0:
            unknown, known = self._next(_FIRST, pay), self._next(_FURTHER, pay)
            value, scout = self.scouts.best(pay) or (0.0, None)
            if unknown is not None and unknown[1] >= value:
                scout = None
            first = scout or (self._best(unknown[0]) if unknown is not None else None)
            believed = 0.0 if first is None else self.referrers.trust(first.referrer)
            if scout is not None:
                believed *= self.scouts.rate(scout.like)
            weights = {_FIRST: self._parts[0] * believed, _FURTHER: 0.0 if known is None else self._parts[1]}
            if not any(weights.values()):
                return
            kind = self._turns.next({kind: weight for kind, weight in weights.items() if weight > 0.0})
            link: Lead | Scout
            if kind == _FIRST and scout is not None:
                self.scouts.called(scout)
                link, look = scout, Look(scout.referrer, "")  # a listing's pages are on one host
            else:
                link, look = self._look_at_next(kind)
            if len(self._called) >= _HOSTS:
                self._called.clear()
            self._called[link.key] = look
            self._calls[link.key] = link.score
            self._credit -= 1.0

    def _look_at_next(self, kind: int) -> tuple[Lead, Look]:
        """Begin a look at the host whose turn it is; return the link to call up."""
        host = self.hosts.take(kind)
        if kind == _FURTHER:
            link = self._fronts.get(host, self._most_promising(host))
            self._looked[host] = self._looked.get(host, 0) + 1
        else:
            link = self._best(host)
        self._strike(host, link.key)
        self._open[host] = self._fetched, link.key
        return link, Look(host, link.referrer)

    def _next(self, kind: int, pay: float) -> tuple[HostKey, float] | None:
        """Return the host that is next for a kind of look, and its value there."""
        while (first := self.hosts.first(kind)) is not None:
            host, value = first
            if kind == _FIRST and (now := self._first_value(host)) < value:
                self.hosts.lower(now, queue=kind)  # its referrer is believed less than when it was put there
                continue
            rate = self._outlook(host) if self._pages.get(host, 0) >= _FREE else 1.0
            if rate > pay or rate == 1.0:
                return first
            self.hosts.put_aside(rate, queue=kind)
        return None
