"""What can be ordered, and what is said of what cannot."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from redis_kit import RedisServer

from focuscrawl.errors import ConfigError, FrontierError, StoreError
from focuscrawl.fleet import folder_board, orders, redis_board
from focuscrawl.fleet.folder_board import FolderBoard
from focuscrawl.fleet.orders import Order
from focuscrawl.fleet.redis_board import RedisBoard
from focuscrawl.frontier.redis import RedisFrontier


@pytest.mark.parametrize(
    ("make", "kind", "args"),
    [
        (lambda: orders.set_limit("pages=5000"), "set", {"name": "pages", "value": 5000}),
        (lambda: orders.set_limit(" min-harvest = 0.05"), "set", {"name": "min_harvest", "value": 0.05}),
        (lambda: orders.ban_host("http://Example.org/a"), "ban-host", {"host": "example.org"}),
        (lambda: orders.ban_host("Example.org."), "ban-host", {"host": "example.org"}),
        (
            lambda: orders.ban_host("https://me:pw@例子.测试:8443/a?b"),
            "ban-host",
            {"host": "xn--fsqu00a.xn--0zwm56d:8443"},
        ),
        (lambda: orders.ban_host("例子.测试"), "ban-host", {"host": "xn--fsqu00a.xn--0zwm56d"}),
        (lambda: orders.ban_host("[::1]"), "ban-host", {"host": "[::1]"}),
        (
            lambda: orders.add_seeds(["HTTP://例子.测试/a b", "http://xn--fsqu00a.xn--0zwm56d/a%20b"]),
            "add-seeds",
            {"urls": ["http://xn--fsqu00a.xn--0zwm56d/a%20b"]},
        ),
    ],
)
def test_orders_are_written_and_read(make: Callable[[], Order], kind: str, args: dict[str, object]) -> None:
    order = make()
    assert (order.kind, order.args) == (kind, args)
    assert Order.from_json(order.to_json()) == order


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: orders.set_limit("pages"), "KEY=VALUE"),
        (lambda: orders.set_limit("page=5"), 'Did you mean "pages"'),
        (lambda: orders.set_limit("pages=1.5"), "expected a whole number, 0 or more"),
        (lambda: orders.set_limit("minutes=-1"), "expected a number, 0 or more"),
        (lambda: orders.set_limit("min_harvest=2"), r"expected a share in \[0, 1\]"),
        (lambda: orders.set_limit("=5"), "KEY=VALUE"),
        *(
            (lambda text=text: orders.ban_host(text), "no host; expected a name such as example.org")
            for text in ("two words", "", "http://", "*.example.org", "example.org/path", "http://[::1", "e.org:99999")
        ),
        (lambda: orders.add_seeds(["ftp://example.org/"]), "expected an http or https URL"),
        (lambda: orders.add_seeds([]), "no URLs"),
        (lambda: orders.add_seeds([f"http://example.org/{n}" for n in range(10_001)]), "at most 10,000"),
        (lambda: Order("retopic", {"topic": "x" * (8 * 1024 * 1024)}).to_json(), "too many to send"),
    ],
)
def test_what_cannot_be_ordered_is_said(make: Callable[[], object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        make()


@pytest.mark.parametrize(
    "line", [b"", b"no json", b"[1]", b'{"order": "rm -rf"}', b'{"done": 3}', b"\xff", b"[" * 100_000]
)
def test_what_is_no_order_is_none(line: bytes) -> None:
    assert Order.from_json(line) is None


def test_the_last_word_on_a_pause_counts() -> None:
    pause, resume = orders.simple("pause"), orders.simple("resume")
    assert not orders.paused([])
    assert orders.paused([pause, resume, pause, orders.set_limit("pages=1")])
    assert not orders.paused([pause, resume])


def test_a_full_list_of_orders_still_takes_the_order_to_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_board, "MAX_ORDERS", 2)
    for _ in range(2):
        folder_board.give(tmp_path, orders.simple("pause"))
    with pytest.raises(StoreError, match="2 orders are in it; no more are taken but stop"):
        folder_board.give(tmp_path, orders.simple("resume"))
    assert folder_board.give(tmp_path, orders.simple("stop")) == 3


def test_a_fleet_takes_so_many_orders(
    redis_server: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_board, "MAX_ORDERS", 1)

    async def work() -> None:
        frontier = RedisFrontier(redis_server.url, crawl=tmp_path.name)
        board = RedisBoard(redis_server.url, crawl=tmp_path.name)
        await frontier.open()
        await board.open()
        try:
            assert await board.give(orders.simple("pause")) == 1
            with pytest.raises(FrontierError, match="has 1 orders; no more are taken but stop"):
                await board.give(orders.simple("resume"))
            await board.stop("stopped", "")
            assert (await frontier.state()).stop == "stopped"
        finally:
            await board.close()
            await frontier.close()

    asyncio.run(work())


async def poll(board: FolderBoard, seen: int) -> tuple[list[str], int, int]:
    polled = await board.poll({}, seen=seen, cursor="")
    return [order.kind for order in polled.orders], polled.number, polled.done


async def look_now_and_then(folder: Path) -> None:
    board = FolderBoard(folder)
    assert await poll(board, 0) == ([], 0, 0)
    assert folder_board.give(folder, orders.simple("pause")) == 1
    assert folder_board.give(folder, orders.ban_host("example.org")) == 2
    assert await poll(board, 0) == (["pause", "ban-host"], 2, 0)
    assert await poll(board, 2) == ([], 2, 0)
    await board.mark_done(2)
    assert await poll(board, 2) == ([], 2, 2)
    # Half a line of a command that is writing right now is left for the next look.
    with (folder / folder_board.NAME).open("ab") as file:
        file.write(b'{"order": "res')
    assert await poll(board, 2) == ([], 2, 2)
    with (folder / folder_board.NAME).open("ab") as file:
        file.write(b'ume", "at": 0}\n')
    assert await poll(board, 2) == (["resume"], 3, 2)


def test_a_process_finds_new_orders_in_its_folder(tmp_path: Path) -> None:
    asyncio.run(look_now_and_then(tmp_path))
    lines = [json.loads(line) for line in (tmp_path / folder_board.NAME).read_text().splitlines()]
    assert lines[1]["host"] == "example.org"
