"""Hosts that a proxy opens no tunnel to."""

from __future__ import annotations

import pytest

from focuscrawl.crawler.tunnels import Tunnels

URL = "https://closed.example/{}"


def asked(tunnels: Tunnels, links: int) -> list[int]:
    """Return the numbers of the links that are asked for, the first one 1, the proxy opening no tunnel."""
    numbers = []
    for number in range(1, links + 1):
        if not tunnels.is_closed(URL.format(number)):
            numbers.append(number)
            tunnels.failed(URL.format(number))
    return numbers


def test_of_thousands_of_links_a_dozen_are_asked_for() -> None:
    assert asked(Tunnels(), 2000) == [1, 2, 3, 5, 9, 17, 33, 65, 129, 257, 513, 1025]


def test_a_proxy_without_tunnels_is_asked_for_few_of_thousands_of_hosts() -> None:
    tunnels = Tunnels()
    numbers = []
    for number in range(1, 2001):
        url = f"https://host{number}.example/"
        if not tunnels.is_closed(url):
            numbers.append(number)
            tunnels.failed(url)
    assert numbers == [*range(1, 18), 33, 65, 129, 257, 513, 1025]


def test_a_proxy_that_has_opened_one_tunnel_is_asked_for_each_host() -> None:
    tunnels = Tunnels()
    tunnels.opened("https://open.example/")
    for number in range(100):
        assert not tunnels.is_closed(f"https://host{number}.example/")
        tunnels.failed(f"https://host{number}.example/")


def test_an_answer_opens_the_host_again() -> None:
    tunnels = Tunnels()
    asked(tunnels, 3)
    assert tunnels.is_closed(URL.format("a"))
    tunnels.opened("http://closed.example/")
    assert not tunnels.is_closed(URL.format("b")), "the 5th, and no tunnel is needed for http"
    tunnels.failed(URL.format("b"))
    assert tunnels.is_closed(URL.format("c"))
    tunnels.opened(URL.format(""))
    assert asked(tunnels, 4) == [1, 2, 3]


@pytest.mark.parametrize("url", ["https://other.example/", "http://closed.example/", "https://closed.example:8443/"])
def test_other_hosts_and_plain_http_are_asked(url: str) -> None:
    tunnels = Tunnels()
    asked(tunnels, 3)
    assert not tunnels.is_closed(url)


def test_the_hosts_remembered_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("focuscrawl.crawler.tunnels._MAX_HOSTS", 2)
    tunnels = Tunnels()
    asked(tunnels, 3)
    tunnels.failed("https://b.example/")
    assert tunnels.is_closed(URL.format("a"))
    tunnels.failed("https://c.example/")
    assert not tunnels.is_closed(URL.format("a"))
