"""Decisions on addresses. Nothing here resolves or connects."""

from __future__ import annotations

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.crawler.addresses import AddressPolicy, is_global

PUBLIC_ONLY = AddressPolicy()

NOT_GLOBAL = [
    "http://127.0.0.1/",
    "http://127.0.0.1.:8080/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://017700000001/",
    "http://%31%32%37.0.0.1/",
    "http://１２７.0.0.1/",
    "http://127。0。0。1/",
    "http://0/",
    "http://0.0.0.0/",
    "http://10.1.2.3/",
    "http://172.16.0.1/",
    "http://192.168.1.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://100.64.0.1/",
    "http://224.0.0.1/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    "http://192.0.2.1/",
    "http://198.18.0.1/",
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::127.0.0.1]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[fe80::1]/",
    "http://[fc00::1]/",
    "http://[fec0::1]/",
    "http://[ff02::1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
    "http://[2001:db8::1]/",
    "http://[3fff::1]/",
    "http://[3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff]/",
    "http://127.0.0.1:80/",
    "http://127.0.0.1?x",
    "http://127.0.0.1#x",
    "http://127.000.000.001/",
    "http://0x7F.0x0.0x0.0x1/",
    "http://0x7f.0.0.1/",
    "http://0177.0.0x1/",
    "http://127.0.1/",
    "http://127.0.0x0001/",
    "http://00000000177.0.0.1/",
    "http://0x0000000007f000001/",
    "http://%30x7f.1/",
    "http://127%2e0%2e0%2e1/",
    "http://127%E3%80%820.0.1/",
    "http://①②⑦.⓪.⓪.①/",
    "http://127．0．0．1/",
    "http://１２７｡0｡0｡1/",
    "http:///127.0.0.1/",
    "http://127.0.0.1\\@public.example/",
    "http://public.example\\@127.0.0.1/",
    "http://public.example:80@127.0.0.1/",
    "http://public.example%23@127.0.0.1/",
    "http://\t127.0.0.1/",
    "http://127.0.\n0.1/",
    "http://LocalHost/",
    "http://localhost./",
    "http://localhost.localdomain/",
    "http://ⓛocalhost/",
    "http://ip6-localhost/",
    "http://[::ffff:10.0.0.1]/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[0000:0000:0000:0000:0000:0000:0000:0001]/",
    "http://[::0001]/",
    "http://[::1]:8080/",
    "http://[64:ff9b::10.0.0.1]/",
    "http://[2002:a00:1::1]/",
    "http://[fe80::]/",
    "http://[ff05::2]/",
    "http://[100::1]/",
    "http://user:secret@127.0.0.1/",
    "http://public.example@127.0.0.1/",
    "http://localhost/",
    "http://LOCALHOST.:80/",
    "http://a.localhost/",
    "HTTP://127.0.0.1/",
]


@pytest.mark.parametrize("url", NOT_GLOBAL)
def test_an_address_that_is_not_global_is_refused_in_any_spelling(url: str) -> None:
    assert PUBLIC_ONLY.url_refusal(url)
    assert AddressPolicy(True).url_refusal(url) == ""


@pytest.mark.parametrize(
    "url",
    [
        "http://[fe80::1%25eth0]/",
        "http://[fe80::1%eth0]/",
        "http://",
        "http:///path",
        "http://[::1",
        "http://1.2.3.4.5/",
        "http:\\\\127.0.0.1\\\\",
        "http:/\\127.0.0.1/",
        "http:127.0.0.1/",
        " http://127.0.0.1/",
    ],
)
def test_what_is_no_url_is_refused(url: str) -> None:
    assert PUBLIC_ONLY.url_refusal(url)


@pytest.mark.parametrize(
    "url", ["ftp://example.org/", "file:///etc/hosts", "data:text/html,x", "gopher://a/", "//x/", ""]
)
def test_only_http_and_https_pass_even_when_all_addresses_do(url: str) -> None:
    assert "http" in AddressPolicy(True).url_refusal(url)


@pytest.mark.parametrize("url", [r"http://public.example\\@127.0.0.1/", r"http://127.0.0.1\\@public.example/"])
def test_both_readings_of_an_ambiguous_url_must_pass(url: str) -> None:
    assert PUBLIC_ONLY.url_refusal(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "https://8.8.8.8/",
        "http://[2606:4700::1111]/",
        "http://[::ffff:8.8.8.8]/",
        "http://[64:ff9b::808:808]/",
        "http://网站.example/",
        "http://localhost.example.org/",
    ],
)
def test_public_addresses_and_names_pass(url: str) -> None:
    assert PUBLIC_ONLY.url_refusal(url) == ""


def test_listed_hosts_addresses_and_networks_pass_and_others_do_not() -> None:
    policy = AddressPolicy(["intranet.example", "127.0.0.1", "10.0.0.0/8", "localhost", "::1"])
    assert policy.url_refusal("http://0x7f.1:8080/") == ""
    assert policy.url_refusal("http://10.200.0.1/") == ""
    assert policy.url_refusal("http://localhost:1/") == ""
    assert policy.url_refusal("http://[::1]/") == ""
    assert policy.url_refusal("http://127.0.0.2/")
    assert policy.address_refusal(ip_address("192.168.0.9"), name="intranet.example") == ""
    assert policy.address_refusal(ip_address("192.168.0.9"), name="rebound.example")


def test_a_name_is_refused_for_what_it_resolves_to() -> None:
    why = PUBLIC_ONLY.address_refusal(ip_address("127.0.0.1"), name="rebound.example")
    assert why == "rebound.example (127.0.0.1) is not a public address"
    assert PUBLIC_ONLY.address_refusal(ip_address("8.8.8.8"), name="dns.example") == ""


@given(st.ip_addresses(v=4))
def test_an_address_and_its_ipv6_forms_are_judged_alike(address: object) -> None:
    number = int(address)  # type: ignore[call-overload]
    verdict = is_global(ip_address(number))
    assert is_global(ip_address((0xFFFF << 32) | number)) == verdict
    assert is_global(ip_address((0x64FF9B << 96) | number)) == verdict
    assert is_global(ip_address((0x2002 << 112) | (number << 80))) == verdict


@given(st.integers(min_value=0, max_value=2**32 - 1))
def test_a_decimal_address_is_judged_like_the_dotted_one(number: int) -> None:
    dotted = f"http://{ip_address(number)}/"
    assert bool(PUBLIC_ONLY.url_refusal(f"http://{number}/")) == bool(PUBLIC_ONLY.url_refusal(dotted))
