"""Little-known hosts get their first look."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.ranking.first_looks import FirstLooks


def test_the_host_with_the_best_link_comes_first_and_that_link_alone_is_called() -> None:
    looks = FirstLooks(share=0.5)
    looks.met("poor.org", 0.2, 1)
    looks.met("good.org", 0.3, 2)
    looks.met("poor.org", 0.1, 3)
    looks.met("good.org", 0.5, 4)
    looks.fetched("known.org", pay=0.0)
    assert looks.calls() == {}  # half of the page that a look costs
    looks.fetched("known.org", pay=0.0)
    assert looks.calls() == {4: 0.5}
    looks.fetched("good.org", pay=0.0)
    looks.fetched("good.org", pay=0.0)
    assert looks.calls() == {1: 0.2}
    looks.met("good.org", 1.0, 5)
    assert looks.waiting() == []


def test_a_crawl_that_pays_looks_little() -> None:
    def called(pay: float) -> int:
        looks = FirstLooks(share=1.0)
        for i in range(100):
            looks.met(f"host{i}.org", 0.5, i)
        for _ in range(50):
            looks.fetched("known.org", pay=pay)
        return len(looks.calls())

    assert called(0.0) == 50
    assert called(0.5) == 12  # 50 x (1 - 0.5)^2
    assert called(1.0) == 0


def test_a_dead_host_gives_its_look_to_the_next() -> None:
    looks = FirstLooks(share=1.0)
    looks.met("dead.org", 0.9, 1)
    looks.met("next.org", 0.1, 2)
    looks.fetched("known.org", pay=0.0)
    assert looks.calls() == {1: 0.9}
    looks.missed("dead.org")
    assert looks.calls() == {2: 0.1}
    looks.met("dead.org", 1.0, 3)
    assert looks.waiting() == []


def test_one_miss_of_a_host_that_gave_a_page_ends_nothing() -> None:
    looks = FirstLooks(share=1.0, rounds=3)
    looks.fetched("slow.org", pay=1.0)
    looks.met("slow.org", 0.9, 1)
    looks.missed("slow.org")
    assert [host for host, _, _ in looks.waiting()] == ["slow.org"]
    looks.missed("slow.org")
    assert looks.waiting() == []


def test_a_look_that_gets_nowhere_ends_and_the_host_waits_again() -> None:
    looks = FirstLooks(share=1.0)
    looks.met("stuck.org", 0.9, 1)
    looks.fetched("known.org", pay=0.0)
    assert looks.calls() == {1: 0.9}
    looks.met("stuck.org", 0.4, 2)
    for _ in range(59):
        looks.fetched("known.org", pay=1.0)
    looks.fetched("known.org", pay=0.0)
    assert looks.calls() == {2: 0.4}


def test_further_looks_take_their_part_while_hosts_wait_for_first_ones() -> None:
    looks = FirstLooks(share=1.0, rounds=2, further=0.5)
    for n in range(9):
        looks.met(f"new{n}.org", 0.9, n)
    for key, name in ((20, "poor.org"), (21, "rich.org")):
        looks.fetched(name, pay=1.0)
        looks.met(name, 0.3 if name == "rich.org" else 0.1, key)
    for _ in range(3):
        looks.fetched("known.org", pay=0.0)
    assert list(looks.calls()) == [0, 21, 1]


def test_where_no_host_waits_the_crawl_looks_for_more_where_most_were_found() -> None:
    looks = FirstLooks(share=1.0)
    looks.met("only.org", 0.3, 1)
    looks.leads_on(50, 3, 0.2)
    looks.leads_on(51, 20, 0.1)
    looks.leads_on(51, 20, 0.1)
    for _ in range(4):
        looks.fetched("known.org", pay=0.0)
    assert looks.calls() == {1: 0.3, 51: 0.1, 50: 0.2}


def test_goes_on_after_a_resume() -> None:
    looks = FirstLooks(share=1.0)
    looks.met("waits.org", 0.4, 7)
    again = FirstLooks(share=1.0)
    again.restore({"known.org": 1.0}, looks.waiting())
    again.met("known.org", 0.9, 8)
    assert again.waiting() == [("waits.org", 0.4, 7)]
    again.fetched("known.org", pay=0.0)
    assert again.calls() == {7: 0.4}


HOSTS = st.sampled_from(["a.org", "b.org", "c.org", "d.org"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("met"), HOSTS, st.floats(0.01, 1.0)),
        st.tuples(st.just("fetched"), HOSTS, st.floats(0.0, 1.0)),
        st.tuples(st.just("missed"), HOSTS, st.just(0.0)),
    ),
    max_size=80,
)


@given(STEPS)
def test_a_link_is_called_once_and_no_more_than_the_pages_pay_for(steps: list[tuple[str, str, float]]) -> None:
    looks = FirstLooks(share=1.0, rounds=2)
    called: list[int] = []
    pages = dead = 0
    for number, (what, host, value) in enumerate(steps):
        if what == "met":
            looks.met(host, value, number)
        elif what == "fetched":
            looks.fetched(host, pay=value)
            pages += 1
        else:
            looks.missed(host)
            dead += 1  # gives its look back
        called += looks.calls()
    assert len(called) == len(set(called)) <= pages + dead
