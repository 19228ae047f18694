"""Little-known hosts get their first look, and others another while they may be worth one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.ranking.first_looks import FirstLooks
from focuscrawl.ranking.scouts import Opened
from focuscrawl.records import LookNews, PageEvent
from focuscrawl.types import GroupKey, HostKey, UrlKey


def hopeful(host: HostKey) -> float:
    del host
    return 1.0


def made(
    *, share: float = 1.0, further: float = 0.5, offsets: Mapping[GroupKey, float] = MappingProxyType({})
) -> FirstLooks:
    return FirstLooks(share=share, further=further, outlook=hopeful, offsets=offsets)


def lead_on(looks: FirstLooks, key: UrlKey, score: float, *, hosts: int, best: float, referrer: HostKey = "") -> None:
    """Tell of a page that led to hosts and links to one like it."""
    looks.scouts.opened(Opened(10**9, "group", referrer, hosts, best), [(key, score)])


def test_the_host_with_the_best_link_comes_first_and_that_link_alone_is_called() -> None:
    looks = made(share=0.5)
    looks.add("poor.org", 0.2, 1)
    looks.add("good.org", 0.3, 2)
    looks.add("poor.org", 0.1, 3)
    looks.add("good.org", 0.5, 4)
    looks.fetched("known.org", 90, pay=0.0)
    assert looks.calls() == {}  # half of the page that a look costs
    looks.fetched("known.org", 91, pay=0.0)
    assert looks.calls() == {4: 0.5}


def test_a_further_look_goes_to_the_front_page_that_was_not_fetched() -> None:
    looks = made()
    looks.add("deep.org", 0.5, 1)
    looks.fetched("known.org", 90, pay=0.0)
    assert looks.calls() == {1: 0.5}, "the best link of a new host"
    looks.add("deep.org", 0.1, 2, "deep.org", front=True)
    for key, score in ((3, 0.4), (4, 0.3)):
        looks.add("deep.org", score, key, "deep.org")
    looks.fetched("deep.org", 1, pay=0.0)
    assert looks.calls() == {2: 0.1}
    looks.fetched("deep.org", 2, pay=0.0)
    assert looks.calls() == {3: 0.4}, "then the others, the best first"


def test_further_looks_go_where_groups_are_not_known_to_fail() -> None:
    offsets: dict[GroupKey, float] = {}
    looks = made(offsets=offsets)
    looks.fetched("deep.org", 1, pay=1.0)
    for key, score, group in ((2, 0.6, "gates"), (3, 0.5, "gates"), (4, 0.4, "quanta")):
        looks.add("deep.org", score, key, "deep.org", group=group)
    looks.fetched("known.org", 90, pay=0.0)
    assert looks.calls() == {2: 0.6}
    offsets["gates"] = -0.2  # what that page turned out to be
    looks.fetched("deep.org", 2, pay=0.0)
    assert looks.calls() == {4: 0.4}, "the other link of the group has the better score, and less of a chance"


def test_many_links_of_one_section_leave_places_for_other_sections() -> None:
    offsets: dict[GroupKey, float] = {}
    looks = made(offsets=offsets)
    looks.fetched("deep.org", 1, pay=1.0)
    looks.add("deep.org", 0.1, 500, "deep.org", group="quanta")
    for key in range(100, 200):
        looks.add("deep.org", 0.6, key, "deep.org", group="gates")
    offsets["gates"] = -0.8
    looks.fetched("known.org", 90, pay=0.0)
    assert looks.calls() == {500: 0.1}


def test_groups_of_links_are_saved_with_the_run() -> None:
    looks = made()
    looks.fetched("deep.org", 1, pay=1.0)
    for key, score, group in ((2, 0.6, "gates"), (3, 0.4, "quanta")):
        looks.add("deep.org", score, key, "deep.org", group=group)
    again = made(offsets={"gates": -0.8})
    again.restore({"deep.org": 1}, looks.waiting(), {})
    again.fetched("known.org", 90, pay=0.0)
    assert again.calls() == {3: 0.4}


def test_a_front_page_that_was_fetched_or_is_gone_is_not_looked_at() -> None:
    for ends in (lambda looks: looks.fetched("deep.org", 2, pay=1.0), lambda looks: looks.missed("deep.org", 2)):
        looks = made()
        looks.add("deep.org", 0.1, 2, front=True)
        looks.add("deep.org", 0.5, 1)
        ends(looks)
        looks.fetched("deep.org", 9, pay=0.0)
        assert looks.calls() == {1: 0.5}


def test_front_pages_are_saved_with_the_run() -> None:
    looks, again = made(), made()
    looks.add("deep.org", 0.1, 2, "deep.org", front=True)
    looks.add("deep.org", 0.5, 1)
    again.restore({"deep.org": 1}, looks.waiting(), {})
    again.fetched("known.org", 90, pay=0.0)
    assert again.calls() == {2: 0.1}


def test_a_crawl_that_pays_looks_little() -> None:
    def called(pay: float) -> int:
        looks = made()
        for i in range(100):
            looks.add(f"host{i}.org", 0.5, i)
        for n in range(50):
            looks.fetched("known.org", 1000 + n, pay=pay)
        return len(looks.calls())

    assert called(0.0) == 50
    assert called(0.5) == 12  # 50 x (1 - 0.5)^2
    assert called(1.0) == 0


def test_the_share_of_looks_has_a_limit() -> None:
    looks = FirstLooks(share=1.0, further=0.5, outlook=hopeful, offsets={}, most=0.8)
    for i in range(100):
        looks.add(f"host{i}.org", 0.5, i)
    for n in range(50):
        looks.fetched("known.org", 1000 + n, pay=0.0)
    assert len(looks.calls()) == 40


def test_a_dead_host_gives_its_look_to_the_next() -> None:
    looks = made()
    looks.add("dead.org", 0.9, 1)
    looks.add("next.org", 0.1, 2)
    looks.fetched("known.org", 90, pay=0.0)
    assert looks.calls() == {1: 0.9}
    looks.missed("dead.org", 1)
    assert looks.calls() == {2: 0.1}
    looks.missed("dead.org", 4)
    looks.add("dead.org", 1.0, 3)
    assert "dead.org" not in [host for host, *_ in looks.waiting()]


def test_a_slow_host_gives_its_look_to_the_next_and_pays_when_it_answers_after_all() -> None:
    looks = made(further=0.0)
    for n, host in enumerate(["slow.org", "second.org", "third.org", "fourth.org"]):
        looks.add(host, 0.9 - n / 10, n)
    looks.fetched("known.org", 90, pay=0.0)
    assert looks.calls() == {0: 0.9}
    for page in range(59):
        looks.fetched("known.org", 100 + page, pay=1.0)
    assert looks.calls() == {}
    looks.fetched("known.org", 200, pay=1.0)
    assert looks.calls() == {1: 0.8}, "after 60 pages of others"
    looks.fetched("slow.org", 0, pay=0.0)
    assert looks.calls() == {}, "the page that was due is spent on the one that came late"
    looks.fetched("known.org", 201, pay=0.0)
    assert looks.calls() == {2: 0.7}


def test_a_slow_host_that_fails_in_the_end_is_paid_back_once() -> None:
    looks = made(further=0.0)
    for n, host in enumerate(["slow.org", "second.org", "third.org"]):
        looks.add(host, 0.9 - n / 10, n)
    looks.fetched("known.org", 90, pay=0.0)
    for page in range(60):
        looks.fetched("known.org", 100 + page, pay=1.0)
    assert looks.calls().keys() == {0, 1}
    looks.missed("slow.org", 0)
    assert looks.calls() == {}


def test_a_listing_whose_next_page_is_gone_gives_its_look_back() -> None:
    looks = made()
    lead_on(looks, 1, 0.5, hosts=9, best=0.9, referrer="directory.org")
    looks.fetched("directory.org", 90, pay=0.0)
    assert looks.calls() == {1: 0.5}
    looks.add("next.org", 0.4, 2)
    looks.missed("directory.org", 1)
    assert looks.calls() == {2: 0.4}


def test_a_link_that_gave_no_page_before_is_not_called_up() -> None:
    looks = made()
    looks.add("some.org", 0.9, 1)
    looks.add("some.org", 0.5, 2)
    looks.missed("some.org", 1)  # fetched in the crawl's own order
    looks.fetched("known.org", 90, pay=0.0)
    assert looks.calls() == {2: 0.5}


def test_a_look_ends_with_its_own_link_and_a_redirect_counts_for_both_hosts() -> None:
    looks = made()
    looks.add("old.org", 0.9, 1)
    looks.add("old.org", 0.8, 2)
    looks.add("next.org", 0.1, 3)
    looks.fetched("known.org", 90, pay=0.0)
    assert looks.calls() == {1: 0.9}
    looks.missed("old.org", 7)  # another link, in the crawl's own order: the look goes on
    assert not looks.calls()
    looks.fetched("new.org", 1, pay=0.0)  # the link led to another host
    assert looks.knows("new.org")
    assert looks.calls() == {2: 0.8}  # the first look at old.org is over, and this is a further one


def test_dead_links_of_a_host_that_gave_pages_end_its_look_and_not_its_chances() -> None:
    looks = made()
    looks.fetched("patchy.org", 80, pay=1.0)
    for key in (1, 2, 3):
        looks.add("patchy.org", 0.9 - key / 10, key)
    looks.fetched("known.org", 90, pay=0.0)
    called = looks.calls()
    for key in (1, 2, 3, 91):
        looks.missed("patchy.org", key)
        called |= looks.calls()
    assert list(called) == [1, 2, 3]
    for key in range(92, 98):
        looks.missed("patchy.org", key)
    looks.add("patchy.org", 0.9, 4)
    assert looks.waiting() == []


def test_a_look_that_gets_nowhere_ends_and_the_host_waits_again() -> None:
    looks = made()
    looks.add("stuck.org", 0.9, 1)
    looks.add("stuck.org", 0.4, 2)
    looks.fetched("known.org", 90, pay=0.0)
    assert looks.calls() == {1: 0.9}
    for n in range(59):
        looks.fetched("known.org", 100 + n, pay=1.0)
    looks.fetched("known.org", 99, pay=0.0)
    assert looks.calls() == {2: 0.4}


def test_further_looks_take_their_part_while_hosts_wait_for_first_ones() -> None:
    outlooks = {"poor.org": 0.2, "rich.org": 0.6}
    looks = FirstLooks(share=1.0, further=0.5, outlook=lambda host: outlooks.get(host, 0.0), offsets={})
    for n in range(9):
        looks.add(f"new{n}.org", 0.9, n)
    for key, name in ((20, "poor.org"), (21, "rich.org")):
        looks.fetched(name, 80 + key, pay=1.0)
        looks.add(name, 0.3, key)
    for n in range(3):
        looks.fetched("known.org", 90 + n, pay=0.0)
    assert list(looks.calls()) == [0, 21, 1]


def test_first_looks_have_their_part_as_far_as_those_that_name_hosts_are_believed() -> None:
    def further_looks(*, gone: int) -> int:
        looks = made()
        for key in range(gone):
            looks.add(f"gone{key}.org", 0.5, key, "blog.org")
            looks.missed(f"gone{key}.org", key)
        for n in range(200):
            looks.add(f"new{n}.org", 0.5, 1000 + n, "blog.org")
            looks.add(f"had{n}.org", 0.5, 2000 + n)
            looks.fetched(f"had{n}.org", 3000 + n, pay=1.0)
        called: set[UrlKey] = set()
        for n in range(60):
            looks.fetched("known.org", 4000 + n, pay=0.0)
            called |= set(looks.calls())
        return sum(2000 <= key < 3000 for key in called)

    assert further_looks(gone=0) == 30
    assert further_looks(gone=48) >= 55, "of fifty hosts that the blog named two were there"


def test_a_host_is_looked_at_again_only_while_its_outlook_is_better_than_the_harvest() -> None:
    rates = {"hopeless.org": 0.05, "open.org": 0.3}
    looks = FirstLooks(share=1.0, further=0.5, outlook=lambda host: rates.get(host, 0.0), offsets={})
    for host in rates:
        for page in range(2):
            looks.fetched(host, hash((host, page)), pay=1.0)
    for key, host in enumerate([*rates, *rates]):
        looks.add(host, 0.9 - key / 10, key)
    looks.fetched("known.org", 90, pay=0.2)
    looks.fetched("known.org", 91, pay=0.2)
    assert list(looks.calls()) == [1]
    # Once the harvest has fallen, the hopeless one gets another chance.
    looks.fetched("known.org", 92, pay=0.0)
    assert list(looks.calls()) == [0]


def test_of_equal_links_that_of_the_less_known_host_comes_first() -> None:
    seen = {"much.org": 40, "little.org": 3}
    looks = FirstLooks(share=1.0, further=0.5, outlook=lambda host: 1.0 / seen.get(host, 1), offsets={})
    for host, pages in seen.items():
        for page in range(pages):
            looks.fetched(host, hash((host, page)), pay=1.0)
        looks.add(host, 0.4, pages)
    looks.fetched("known.org", 90, pay=0.0)
    assert looks.calls() == {3: 0.4}


def test_further_looks_are_shared_by_outlook_whatever_links_are_called() -> None:
    outlooks = {"good.org": 0.6, "fair.org": 0.3, "poor.org": 0.1}
    scores = {"good.org": 0.1, "fair.org": 0.5, "poor.org": 0.9}
    looks = FirstLooks(share=1.0, further=0.5, outlook=lambda host: outlooks.get(host, 0.0), offsets={})
    looked: Counter[str] = Counter()
    hosts_of: dict[UrlKey, str] = {}
    for host in outlooks:
        looks.fetched(host, 10**6, pay=1.0)
    for page in range(200):
        for number, (host, score) in enumerate(scores.items()):
            hosts_of[key := 3 * page + number] = host
            looks.add(host, score, key, host, group=f"{host} {page}")
        if page < 100:
            looks.fetched("known.org", 1000 + page, pay=0.05)
        for key in looks.calls():
            looked[hosts_of[key]] += 1
            looks.fetched(hosts_of[key], key, pay=1.0)
    shares = {host: count / looked.total() for host, count in looked.items()}
    assert shares == pytest.approx(outlooks, abs=0.03)


def test_links_fetched_meanwhile_are_not_called() -> None:
    looks = made()
    for key in (1, 2):
        looks.add("a.org", 0.9 - key / 10, key)
    looks.fetched("a.org", 1, pay=1.0)
    looks.fetched("known.org", 90, pay=0.0)
    assert looks.calls() == {2: 0.7}


def test_where_no_host_waits_the_crawl_looks_for_more_where_most_were_found() -> None:
    looks = made()
    looks.add("only.org", 0.3, 1)
    lead_on(looks, 50, 0.2, hosts=5, best=0.2)
    lead_on(looks, 51, 0.1, hosts=20, best=0.2)
    lead_on(looks, 51, 0.1, hosts=20, best=0.2)
    for n in range(4):
        looks.fetched("known.org", 90 + n, pay=0.0)
    assert looks.calls() == {1: 0.3, 51: 0.1, 50: 0.2}


def test_hosts_wait_as_far_as_those_that_name_them_are_believed() -> None:
    looks = made(further=0.0)
    for n in range(4):
        looks.add(f"dead{n}.org", 0.5 - n / 100, n, "blog.org")
        looks.add(f"site{n}.org", 0.3 - n / 100, 10 + n, "directory.org")
    looks.fetched("known.org", 90, pay=0.0)
    assert looks.calls() == {0: 0.5}  # nobody knows yet
    looks.missed("dead0.org", 0)
    assert looks.calls() == {1: 0.49}  # 2/3 of it is more than .3
    looks.missed("dead1.org", 1)
    assert looks.calls() == {10: 0.3}  # 2/4 is less
    looks.fetched("site0.org", 10, pay=0.0)
    assert looks.calls() == {11: 0.29}
    assert looks.referrers.trust("directory.org") == 1.0


def test_of_a_host_that_several_name_the_link_of_the_best_believed_is_called() -> None:
    looks = made()
    for n in range(9):
        looks.add("gone.org", 0.1, n, "blog.org")
        looks.missed("gone.org", n)
        looks.add(f"gone{n}.org", 0.1, 20 + n, "blog.org")
        looks.missed(f"gone{n}.org", 20 + n)
    looks.add("site.org", 0.6, 40, "blog.org")
    looks.add("site.org", 0.2, 41, "directory.org")
    looks.fetched("known.org", 90, pay=0.0)
    assert looks.calls() == {41: 0.2}


def test_the_next_page_of_a_directory_waits_at_the_place_of_its_best_host() -> None:
    looks = made(further=0.0)
    lead_on(looks, 50, 0.1, hosts=19, best=0.4, referrer="directory.org")  # worth .38
    looks.add("better.org", 0.39, 1, "blog.org")
    looks.add("worse.org", 0.37, 2, "blog.org")
    for n in range(3):
        looks.fetched("known.org", 90 + n, pay=0.0)
    assert list(looks.calls()) == [1, 50, 2]


def test_goes_on_after_a_resume() -> None:
    looks = made()
    looks.add("waits.org", 0.4, 7, "blog.org")
    looks.add("waits.org", 0.3, 6)
    again = made()
    again.restore({"known.org": 1.0}, looks.waiting(), looks.referrers.snapshot())
    again.add("waits.org", 0.1, 8)
    assert again.waiting() == [
        ("waits.org", 0.4, 7, "blog.org", False, ""),
        ("waits.org", 0.3, 6, "", False, ""),
        ("waits.org", 0.1, 8, "", False, ""),
    ]
    again.fetched("known.org", 90, pay=0.0)
    assert again.calls() == {7: 0.4}
    assert again.knows("known.org")


def test_how_far_hosts_are_believed_that_name_others_is_saved_with_the_run() -> None:
    looks, again = made(), made()
    for n in range(9):
        looks.add(f"gone{n}.org", 0.5, n, "blog.org")
        looks.missed(f"gone{n}.org", n)
    looks.add("named.org", 0.5, 20, "blog.org")
    looks.add("other.org", 0.3, 21, "directory.org")
    again.restore({}, looks.waiting(), looks.referrers.snapshot(), looks.looked())
    again.fetched("known.org", 90, pay=0.0)
    assert again.calls() == {21: 0.3}, "what the blog names is not there"


def test_the_looks_a_host_has_had_are_saved_with_the_run() -> None:
    outlooks = {"much.org": 0.6, "little.org": 0.4}

    def looks_of() -> FirstLooks:
        return FirstLooks(share=1.0, further=0.5, outlook=lambda host: outlooks.get(host, 0.0), offsets={})

    looks, again = looks_of(), looks_of()
    looks.fetched("much.org", 80, pay=1.0)
    for key in (1, 2, 3):
        looks.add("much.org", 0.5, key)
        looks.fetched("known.org", 90 + key, pay=0.0)
        looks.fetched("much.org", key, pay=1.0)
    assert looks.calls().keys() == {1, 2, 3}
    assert looks.looked() == {"much.org": 3}
    again.restore({"much.org": 4}, [], {}, {"much.org": 1})
    again.restore({"much.org": 4}, [], {}, looks.looked())
    again.restore({"much.org": 4}, [], {}, {"much.org": 0})  # of another worker, who has seen less
    again.fetched("little.org", 81, pay=1.0)
    again.add("much.org", 0.5, 4)
    again.add("little.org", 0.5, 5)
    again.fetched("known.org", 99, pay=0.0)
    assert again.calls().keys() == {5}, "0.4 is more than 0.6 / 4"


def test_what_older_versions_saved_is_taken_up_and_what_is_broken_left_out() -> None:
    looks = made()
    looks.restore({}, [["old.org", 0.4, 7], ["short.org"], "text", ["new.org", 0.3, 8, "blog.org"]], None)
    assert looks.waiting() == [("old.org", 0.4, 7, "", False, ""), ("new.org", 0.3, 8, "blog.org", False, "")]
    looks.restore({}, None, "broken")
    assert len(looks.waiting()) == 2


def test_a_long_crawl_of_few_hosts_takes_no_more_memory() -> None:
    looks = FirstLooks(share=1.0, further=0.5, outlook=lambda _: 0.1, offsets={})
    for page in range(2_000):
        host = f"host{page % 3}.org"
        looks.add(host, 0.3 + page % 7 / 100, 10_000 + page)
        looks.fetched(host, page, pay=0.2 if page % 2 else 0.95)
        looks.calls()
    assert len(looks.hosts) < 300


HOSTS = st.sampled_from(["a.org", "b.org", "c.org", "d.org"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), HOSTS, st.floats(0.01, 1.0)),
        st.tuples(st.just("fetched"), HOSTS, st.floats(0.0, 1.0)),
        st.tuples(st.just("missed"), HOSTS, st.just(0.0)),
    ),
    max_size=80,
)


@given(STEPS)
def test_a_link_is_called_once_and_no_more_than_the_pages_pay_for(steps: list[tuple[str, str, float]]) -> None:
    looks = made()
    called: list[int] = []
    pages = dead = 0
    for number, (what, host, value) in enumerate(steps):
        if what == "add":
            looks.add(host, value, number)
        elif what == "fetched":
            looks.fetched(host, number, pay=value)
            pages += 1
        else:
            looks.missed(host, called[-1] if called else number)
            dead += 1  # gives its look back
        called += looks.calls()
    assert len(called) == len(set(called)) <= pages + dead


def told(looks: FirstLooks) -> LookNews:
    """Return what other workers hear of it: what has been through JSON."""
    event = PageEvent(url="http://list.org/", host="list.org", key=7, looks=looks.news())
    heard = PageEvent.from_json(event.to_json())
    assert heard is not None
    assert heard.looks is not None
    return heard.looks


def test_one_worker_makes_the_looks_by_the_links_of_all() -> None:
    maker, other = made(), made()
    maker.share(makes=True)
    other.share(makes=False)
    other.add("a.org", 0.30004, 1, "list.org", front=True, group="a.org/")
    other.add("b.org", 0.5, 2, "list.org")
    news = told(other)
    assert news.links == (("a.org", 0.3, 1, True, "a.org/"), ("b.org", 0.5, 2, False, ""))
    assert other.news() is None
    maker.observe(Opened(7, "g", "list.org", news.hosts, news.best), news)
    assert maker.news() is None, "what was heard is not told again"
    for looks in (maker, other):
        for page in range(2):
            looks.fetched("known.org", 90 + page, pay=0.0, own=looks is other)
    assert maker.calls() == {2: 0.5, 1: 0.3}, "by pages of others, too"
    assert other.calls() == {}


def test_links_that_no_look_would_go_to_are_not_told() -> None:
    looks = made()
    looks.share(makes=False)
    for key in range(8):
        looks.add("a.org", 0.9 - key / 10, key)
    assert [link.key for link in told(looks).links] == [0, 1, 2, 3, 4]
    looks.add("a.org", 0.9, 0)
    assert looks.news() is None


def test_of_a_page_with_thousands_of_hosts_the_best_links_are_told() -> None:
    looks = made()
    looks.share(makes=False)
    for key in range(2_000):
        looks.add(f"host{key}.org", key / 2_000, key)
    links = told(looks).links
    assert sorted(link.key for link in links) == list(range(1_500, 2_000))


def test_links_to_further_pages_of_a_directory_are_told() -> None:
    maker, other = made(), made()
    for looks in (maker, other):
        looks.share(makes=looks is maker)
    opened = Opened(7, "pages", "list.org", 9, 0.6)
    waiting = other.scouts.opened(opened, [(11, 0.25), (7, 0.5)])
    assert waiting == [(11, 0.25)]
    assert other.telling is not None
    other.telling.opened(opened, waiting)
    news = told(other)
    assert (news.hosts, news.best, news.onward) == (9, 0.6, ((11, 0.25),))
    maker.observe(Opened(7, "pages", "list.org", news.hosts, news.best), news)
    maker.fetched("known.org", 90, pay=0.0)
    assert maker.calls() == {11: 0.25}


def test_what_was_saved_is_not_told() -> None:
    looks, other = made(), made()
    looks.add("a.org", 0.3, 1, "list.org")
    other.share(makes=False)
    other.restore({}, looks.waiting(), looks.referrers.snapshot())
    assert other.knows("a.org")
    assert other.news() is None


def test_patience_is_counted_in_own_pages() -> None:
    looks = made()
    looks.add("slow.org", 0.5, 1)
    looks.add("slow.org", 0.4, 2)
    looks.fetched("known.org", 90, pay=0.0)
    assert looks.calls() == {1: 0.5}
    for page in range(100):
        looks.fetched("known.org", 100 + page, pay=1.0, own=False)
    assert looks.calls() == {}
    for page in range(60):
        looks.fetched("known.org", 200 + page, pay=1.0)
    assert looks.calls() == {2: 0.4}, "the look goes on to another link"
