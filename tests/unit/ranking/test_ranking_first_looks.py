"""Little-known hosts get their first look."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.ranking.first_looks import FirstLooks


def test_the_host_with_the_best_link_comes_first_and_gets_its_pages() -> None:
    looks = FirstLooks(look=2, share=1.0)
    looks.met("poor.org", 0.2)
    looks.met("good.org", 0.3)
    looks.met("poor.org", 0.1)
    looks.met("good.org", 0.5)
    assert looks.fetched("known.org", pay=0.0) == []  # credit 1 of the 2 pages a look costs
    assert looks.fetched("known.org", pay=0.0) == ["good.org"]
    assert looks.looked_at("good.org")
    assert not looks.looked_at("poor.org")
    assert looks.fetched("good.org", pay=0.0) == []
    assert looks.fetched("good.org", pay=0.0) == ["good.org", "poor.org"]  # had its two pages; credit for the next
    assert not looks.looked_at("good.org")
    looks.met("good.org", 1.0)
    assert looks.waiting() == []


def test_a_crawl_that_pays_looks_little() -> None:
    def opened(pay: float) -> int:
        looks = FirstLooks(look=2, share=1.0)
        for i in range(100):
            looks.met(f"host{i}.org", 0.5)
        return sum(len(looks.fetched("known.org", pay=pay)) for _ in range(50))

    assert opened(0.0) == 25
    assert opened(0.5) == 6  # 50 x (1 - 0.5)^2 / 2
    assert opened(1.0) == 0


def test_a_dead_host_gives_its_look_to_the_next() -> None:
    looks = FirstLooks(look=2, share=1.0)
    looks.met("dead.org", 0.9)
    looks.met("next.org", 0.1)
    looks.fetched("known.org", pay=0.0)
    looks.fetched("known.org", pay=0.0)
    assert looks.looked_at("dead.org")
    assert looks.missed("dead.org") == ["dead.org", "next.org"]
    looks.met("dead.org", 1.0)
    assert looks.waiting() == []


def test_one_miss_of_a_host_that_gave_a_page_ends_nothing() -> None:
    looks = FirstLooks(look=3, share=1.0)
    looks.met("slow.org", 0.9)
    for _ in range(3):
        looks.fetched("known.org", pay=0.0)
    looks.fetched("slow.org", pay=0.0)
    assert looks.missed("slow.org") == []
    assert looks.looked_at("slow.org")
    assert looks.missed("slow.org") == ["slow.org"]


def test_a_look_that_gets_nowhere_ends() -> None:
    looks = FirstLooks(look=1, share=1.0)
    looks.met("stuck.org", 0.9)
    assert looks.fetched("known.org", pay=0.0) == ["stuck.org"]
    ended = [i for i in range(100) if "stuck.org" in looks.fetched("known.org", pay=1.0)]
    assert ended == [60]


def test_goes_on_after_a_resume() -> None:
    looks = FirstLooks(look=1, share=1.0)
    looks.met("waits.org", 0.4)
    again = FirstLooks(look=1, share=1.0)
    again.restore({"known.org": 1.0}, looks.waiting())
    again.met("known.org", 0.9)
    assert again.waiting() == [("waits.org", 0.4)]
    assert again.fetched("known.org", pay=0.0) == ["waits.org"]


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
def test_every_look_that_begins_is_told_and_ends_at_most_once(steps: list[tuple[str, str, float]]) -> None:
    looks = FirstLooks(look=2, share=1.0)
    open_: set[str] = set()
    begun: dict[str, int] = {}
    for what, host, number in steps:
        if what == "met":
            looks.met(host, number)
            continue
        changed = looks.fetched(host, pay=number) if what == "fetched" else looks.missed(host)
        for one in changed:
            open_ ^= {one}
            begun[one] = begun.get(one, 0) + (one in open_)
        assert {h for h in ("a.org", "b.org", "c.org", "d.org") if looks.looked_at(h)} == open_
    assert all(count <= 2 for count in begun.values())


def test_the_host_with_the_best_links_after_its_first_look_gets_another() -> None:
    looks = FirstLooks(look=1, share=1.0, rounds=2)
    for n in range(9):  # there are always hosts nobody has seen
        looks.met(f"new{n}.org", 0.9)
    for name, score in (("poor.org", 0.1), ("rich.org", 0.6)):
        looks.fetched(name, pay=1.0)
        looks.met(name, score)  # found on its front page
    opened = [host for _ in range(4) for host in looks.fetched("known.org", pay=0.0) if looks.looked_at(host)]
    assert opened == ["new0.org", "rich.org", "new1.org", "poor.org"]
    assert looks.fetched("rich.org", pay=1.0) == ["rich.org"]
    looks.met("rich.org", 1.0)
    assert "rich.org" not in [host for host, _ in looks.waiting()]
