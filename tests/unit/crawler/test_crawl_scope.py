"""Scope rules and budgets against endless spaces."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.crawler import standing
from focuscrawl.crawler.repeats import LEAST_REPEATS, Repeats
from focuscrawl.crawler.scope import Budgets, FruitlessBudget, Scope, ScopeRules, too_far
from focuscrawl.crawler.url_shapes import url_pattern


def test_host_rules_cover_subdomains_and_nothing_else() -> None:
    scope = Scope(ScopeRules(allow_hosts=["e.org"], deny_hosts=["bad.e.org"]))
    assert scope.refusal("http://e.org/", "e.org", 0) == ""
    assert scope.refusal("http://a.e.org/", "a.e.org:8080", 0) == ""
    scope.ban("a.e.org:8080")
    assert "banned" in scope.refusal("http://a.e.org:8080/", "a.e.org:8080", 0)
    assert scope.refusal("http://a.e.org/", "a.e.org", 0) == ""
    assert "denied" in scope.refusal("http://x.bad.e.org/", "x.bad.e.org", 0)
    assert "allow_hosts" in scope.refusal("http://note.org/", "note.org", 0)


def test_a_rule_for_an_address_of_ipv6_covers_all_its_ports() -> None:
    scope = Scope(ScopeRules(deny_hosts=["[2001:db8::1]", "[2001:db8::2]:8080"]))
    for host in ("[2001:db8::1]", "[2001:db8::1]:8080", "[2001:db8::2]:8080"):
        assert "denied" in scope.refusal(f"http://{host}/", host, 0)
    for host in ("[2001:db8::2]", "[2001:db8::3]:8080"):
        assert scope.refusal(f"http://{host}/", host, 0) == ""


def test_the_memory_of_hosts_does_not_grow_with_the_links_of_a_crawl() -> None:
    scope = Scope(ScopeRules(deny_hosts=["bad.example"]))
    tracemalloc.start()
    try:
        for number in range(150_000):
            assert scope.refusal("http://e.org/", f"www.host-{number}.example", 0) == ""
        grown, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert grown < 8_000_000  # of all these hosts 22 MB
    assert "denied" in scope.refusal("http://bad.example/", "bad.example", 0)


def test_patterns_and_depth() -> None:
    scope = Scope(ScopeRules(include=[r"/blog/"], exclude=[r"\?share="], max_depth=2))
    assert scope.refusal("http://e.org/blog/1", "e.org", 2) == ""
    assert "max_depth" in scope.refusal("http://e.org/blog/1", "e.org", 3)
    assert "include" in scope.refusal("http://e.org/shop/", "e.org", 0)
    assert "exclude" in scope.refusal("http://e.org/blog/1?share=x", "e.org", 0)


def test_pattern_folds_digits_and_query_values() -> None:
    assert url_pattern("http://e.org/cal/2026/11?day=21") == url_pattern("http://e.org/cal/1999/1?day=3")
    assert url_pattern("http://e.org/a") != url_pattern("http://e.org/b")


def test_endless_calendar_is_cut_and_a_paying_archive_is_not() -> None:
    budgets = Budgets(per_host=0, per_pattern=10)
    for day in range(10):
        assert budgets.last_in_line(f"http://e.org/cal/{day}", "e.org", 0) == ""
        budgets.fetched(f"http://e.org/cal/{day}", "e.org", found=False)
        budgets.fetched(f"http://e.org/post/{day}", "e.org", found=day % 5 == 0)
    assert "pattern" in budgets.last_in_line("http://e.org/cal/11", "e.org", 0)
    assert budgets.refusal("http://e.org/cal/11", "e.org") == ""
    assert budgets.last_in_line("http://e.org/post/11", "e.org", 0) == ""


def test_what_is_infinite_does_not_outlive_what_is_finite() -> None:
    budgets = Budgets(per_host=0, per_pattern=10)
    fetched = 0
    while not budgets.refusal(f"http://e.org/cal/{fetched}", "e.org"):
        budgets.fetched(f"http://e.org/cal/{fetched}", "e.org", found=False)
        fetched += 1
    assert fetched == 40
    assert "pattern" in budgets.refusal("http://e.org/cal/99", "e.org")


def test_a_long_tunnel_waits_behind_all_others_and_an_endless_one_is_left() -> None:
    budgets = Budgets(per_host=0, per_pattern=0)
    assert budgets.last_in_line("http://e.org/a", "e.org", 20) == ""
    assert "21 off-topic pages" in budgets.last_in_line("http://e.org/a", "e.org", 21)
    assert not too_far(100)
    assert too_far(101)


def test_a_find_credits_the_listing_that_led_to_it() -> None:
    budgets = Budgets(per_host=0, per_pattern=3)
    for page in range(3):
        budgets.fetched(f"http://e.org/list/{page}", "e.org", found=False)
    assert budgets.spent("http://e.org/list/9", "e.org") == (1, "budget of the URL pattern is spent")
    budgets.fetched("http://e.org/a-find", "e.org", found=True, parent_url="http://e.org/list/2")
    assert budgets.spent("http://e.org/list/9", "e.org") == (0, "")


def test_hosts_of_one_domain_share_the_host_budget() -> None:
    budgets = Budgets(per_host=5, per_pattern=0)
    for number in range(5):
        budgets.fetched(f"http://h{number}.trap.example.com/", f"h{number}.trap.example.com", found=False)
    assert "host" in budgets.last_in_line("http://h9.trap.example.com/", "h9.trap.example.com", 0)
    assert budgets.last_in_line("http://other.example.org/", "other.example.org", 0) == ""


@given(st.integers(1, 50), st.lists(st.booleans(), max_size=200))
def test_a_budget_is_never_spent_before_its_base(base: int, finds: list[bool]) -> None:
    budget = FruitlessBudget(base)
    for number, found in enumerate(finds):
        if number < base:
            assert not budget.spent("k")
        budget.fetched("k", found=found)
    assert bool(budget.spent("k")) == (len(finds) >= base + 50 * sum(finds))


def test_a_trap_is_seen_through_among_any_number_of_pages_of_their_own_shape() -> None:
    budget = FruitlessBudget(20, max_keys=100)
    for number in range(2000):
        budget.fetched(f"own {number}", found=number % 3 == 0)
        if number % 10 == 0:
            budget.fetched("trap", found=False)
        if number % 5 == 0:
            budget.fetched("archive", found=number % 50 == 0)
        assert len(budget._fetched) <= 100
        assert set(budget._found) <= set(budget._fetched) | {f"own {number}"}
    assert budget.spent("trap")
    assert not budget.spent("archive")


def test_shapes_fold_tokens_repetitions_and_sets_of_parameters() -> None:
    assert url_pattern("http://e.org/s/0a1b2c3d4e5f/1") == url_pattern("http://e.org/s/99aabbccdd00/2")
    assert url_pattern("http://e.org/a/b/a/b/c") == url_pattern("http://e.org/a/b/c")
    assert url_pattern("http://e.org/l?a=1&b=2&c=3") == url_pattern("http://e.org/l?d=1&b=2&z=3&c=4")
    assert url_pattern("http://e.org/l?a=1") != url_pattern("http://e.org/l?b=1")
    assert url_pattern("http://e.org/encyclopaedia/") != url_pattern("http://e.org/lighthouses/")


def test_a_page_that_repeats_another_buys_nothing_and_its_space_waits() -> None:
    budgets = Budgets(per_host=0, per_pattern=10)
    for number in range(3):
        budgets.fetched(f"http://e.org/tag/{number:x}", "e.org", found=False, repeats=True)
    assert not budgets.held_back("http://e.org/tag/new", "e.org")
    budgets.fetched("http://e.org/tag/f", "e.org", found=False, repeats=True)
    assert budgets.held_back("http://e.org/tag/new", "e.org") == "pages of http://e.org/tag/** mostly repeat others"
    assert not budgets.held_back("http://e.org/story/new", "e.org")
    assert not budgets.held_back("http://other.org/tag/new", "other.org")


def test_repeats_that_another_domain_led_to_hold_back_its_own_links_only() -> None:
    budgets = Budgets(per_host=0, per_pattern=500)
    for number in range(10):
        url = f"http://e.org/tag/one?x={number}"
        budgets.fetched(url, "e.org", found=False, parent_url="http://www.a.org/", repeats=True)
    assert budgets.held_back("http://e.org/tag/f", "e.org", source="e.org") == ""
    assert budgets.held_back("http://e.org/tag/f", "e.org", source="b.org") == ""
    assert budgets.held_back("http://e.org/tag/f", "e.org", source="a.org") == (
        "pages of e.org that a.org links to mostly repeat others"
    )


def test_a_space_that_repeats_waits_after_others_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("focuscrawl.crawler.repeats._MAX_SPACES", 20)
    repeats = Repeats()
    for _ in range(LEAST_REPEATS):
        repeats.fetched(("http://e.org/tag/**",), repeats=True, found=False)
    for number in range(30):
        repeats.fetched((f"http://e{number}.org/",), repeats=False, found=False)
    assert repeats.suspects("http://e.org/tag/new")
    assert repeats.behind(("http://e.org/tag/**",)) == "http://e.org/tag/**"
    assert not repeats.suspects("http://e1.org/tag/new")


def test_a_space_with_a_find_for_every_two_repetitions_does_not_wait() -> None:
    """A catalogue has each of its minerals under two or three addresses: most pages repeat, the others are wanted."""
    budgets = Budgets(per_host=0, per_pattern=1000)
    for number in range(100):  # the rest of the site, which is no domain of copies
        budgets.fetched(f"http://e.org/news/{number}", "e.org", found=False)

    def fetch(count: int, *, repeats: bool) -> None:
        for _ in range(count):
            budgets.fetched("http://e.org/minerals/agate", "e.org", found=not repeats, repeats=repeats)

    fetch(10, repeats=False)
    fetch(20, repeats=True)
    assert not budgets.held_back("http://e.org/minerals/new", "e.org")
    fetch(1, repeats=True)
    assert budgets.held_back("http://e.org/minerals/new", "e.org")
    fetch(1, repeats=False)
    assert not budgets.held_back("http://e.org/minerals/new", "e.org")
    fetch(700, repeats=True)  # long after the finds have ended it waits, however many there were
    assert budgets.held_back("http://e.org/minerals/new", "e.org")


BEHIND = "farm.org and what was found through it have taken their share of the crawl"


def two_labels(host: str) -> str:
    return ".".join(host.split(".")[-2:])


def with_farm(citing: int, *, pages: int = 1000, farm: float = 0.35) -> Budgets:
    """Budgets of a crawl of twenty seeds, so many of which link to a farm that has a share of the pages."""
    budgets = Budgets(per_host=1000, per_pattern=0, domain_of=two_labels)
    seeds = [f"seed{number}.org" for number in range(20)]
    budgets.vouch(seeds)
    for seed in seeds[:citing]:
        budgets.linked(seed, ["farm.org"])
    budgets.linked("farm.org", ["below.org"])
    for number in range(pages):
        host = ("farm.org", "below.org")[number % 2] if number < farm * pages else seeds[number % 20]
        budgets.fetched(f"http://{host}/{number}", host, found=True)
    return budgets


def test_a_branch_takes_a_fifth_of_a_crawl_until_nine_others_link_into_it() -> None:
    assert with_farm(1).held_back("http://below.org/1", "below.org") == BEHIND
    assert with_farm(8).held_back("http://farm.org/1", "farm.org") == BEHIND
    assert not with_farm(9).held_back("http://below.org/1", "below.org")
    assert not with_farm(1).held_back("http://seed1.org/1", "seed1.org")  # the user's own


def test_links_that_gave_no_page_are_no_share_of_the_crawl() -> None:
    """A site that holds the topic names thousands of pages elsewhere that are gone."""

    def held(*, gone: bool) -> str:
        budgets = Budgets(per_host=10_000, per_pattern=0, domain_of=two_labels)
        budgets.vouch(["portal.org"])
        budgets.linked("portal.org", ["farm.org"])
        budgets.linked("farm.org", [f"gone{number}.org" for number in range(50)])
        for number in range(1000):
            host = "farm.org" if number % 2 else "portal.org"
            budgets.fetched(f"http://{host}/{number}", host, found=True)
            elsewhere = f"gone{number % 50}.org"
            budgets.fetched(f"http://{elsewhere}/{number}", elsewhere, found=False, gave_page=not gone)
        return budgets.held_back("http://farm.org/new", "farm.org")

    assert held(gone=False) == BEHIND
    assert held(gone=True) == ""


def test_where_a_crawl_has_few_seeds_half_of_them_lift_the_limit_and_three_at_least() -> None:
    def held(seeds: int, citing: int) -> str:
        budgets = Budgets(per_host=1000, per_pattern=0, domain_of=two_labels)
        hosts = [f"seed{number}.org" for number in range(seeds)]
        budgets.vouch(hosts)
        for host in hosts[:citing]:
            budgets.linked(host, ["farm.org"])
        for number in range(1000):
            host = f"h{number}.farm.org" if number < 300 else hosts[number % seeds]
            budgets.fetched(f"http://{host}/{number}", host, found=True)
        return budgets.held_back("http://farm.org/new", "farm.org")

    assert held(7, 4) == ""  # half of the eight, itself among them
    assert held(7, 3) == BEHIND
    assert held(3, 2) == BEHIND
    assert held(3, 3) == ""


def test_pages_under_way_count_for_the_share_of_their_branch() -> None:
    budgets = with_farm(1, farm=0.195)
    assert not budgets.held_back("http://farm.org/new", "farm.org", ["farm.org", "below.org"] * 2)
    assert not budgets.held_back("http://farm.org/new", "farm.org", ["seed1.org"] * 9)
    assert budgets.held_back("http://farm.org/new", "farm.org", ["farm.org", "below.org"] * 4) == BEHIND


def test_domains_of_one_branch_have_one_voice_between_them() -> None:
    budgets = with_farm(1)
    budgets.linked("seed1.org", ["other.org"])
    for number in range(20):  # a second farm speaks for the first
        budgets.linked("other.org", [f"other{number}.org"])
        budgets.linked(f"other{number}.org", ["farm.org"])
    assert budgets.held_back("http://farm.org/1", "farm.org") == BEHIND


def test_a_long_chain_of_domains_is_one_branch() -> None:
    budgets = Budgets(per_host=1000, per_pattern=0, domain_of=two_labels)
    budgets.vouch(["seed.org"])
    chain = ["seed.org", *(f"link{number}.org" for number in range(300))]
    for source, target in pairwise(chain):
        budgets.linked(source, [target])
        budgets.linked(target, [chain[1]])
    for number in range(1000):
        host = chain[1 + number % 300]
        budgets.fetched(f"http://{host}/{number}", host, found=True)
    assert budgets.held_back("http://link299.org/new", "link299.org")
    assert budgets.held_back("http://link0.org/new", "link0.org")


def test_the_standing_of_domains_takes_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standing, "_MAX_DOMAINS", 1_000)
    known = standing.Standing()
    tracemalloc.start()
    try:
        for number in range(1_000):
            known.linked("seed.org", [f"d{number}.org"])
        before, _ = tracemalloc.get_traced_memory()
        monkeypatch.setattr(standing, "_MAX_PAIRS", 1_000)
        for number in range(1_000, 20_000):
            known.linked("seed.org", [f"d{number}.org"])
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after < 2 * before


def test_a_site_that_holds_the_topic_is_not_held_back_for_its_size() -> None:
    def budgets_of(hosts: list[str]) -> Budgets:
        budgets = Budgets(per_host=1000, per_pattern=0, domain_of=two_labels)
        budgets.vouch(["portal.org"])
        budgets.linked("portal.org", ["door.org"])
        budgets.linked("door.org", ["site.org"])  # nobody else links there
        for number in range(1000):
            host = hosts[number % len(hosts)] if number % 10 else "door.org"
            budgets.fetched(f"http://{host}/{number}", host, found=True)
        return budgets

    assert not budgets_of(["site.org"]).held_back("http://site.org/new", "site.org")
    many = budgets_of([f"h{number}.site.org" for number in range(50)])  # what costs its owner nothing
    assert "site.org and what was found" in many.held_back("http://new.site.org/", "new.site.org")
