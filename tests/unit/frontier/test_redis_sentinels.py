"""What sentinels that name no master are said to be."""

from __future__ import annotations

import asyncio

import pytest
from redis_kit import free_port, running_redis, running_sentinel

from focuscrawl.errors import FrontierError, ServerAwayError
from focuscrawl.frontier.redis import RedisFrontier


def refusal(url: str) -> FrontierError:
    """Return why a worker ends that waits for a server for a fifth of a second."""
    with pytest.raises(FrontierError) as caught:
        asyncio.run(RedisFrontier(url, crawl="c", patience_s=0.2).open())
    assert "redis.asyncio" not in str(caught.value)  # the client library shows its objects
    return caught.value


def test_sentinels_that_refuse_the_login_end_the_worker_at_once() -> None:
    with running_sentinel(free_port(), "requirepass theirs") as port:
        for query in ("", "?sentinel_password=wrong"):
            error = refusal(f"redis+sentinel://:secret@127.0.0.1:{port}/mymaster/0{query}")
            assert not isinstance(error, ServerAwayError)
            assert "the sentinels refuse the login" in str(error)
            assert "?sentinel_password= in the URL" in str(error)
            assert not {"secret", "theirs", "wrong"} & set(str(error).split())


def test_a_master_that_no_sentinel_names_is_waited_for() -> None:
    with running_sentinel(free_port()) as port:
        error = refusal(f"redis+sentinel://127.0.0.1:{port},127.0.0.1:{free_port()}/other/0")
    assert isinstance(error, ServerAwayError)
    assert 'no sentinel that answers names a master "other" that is up (' in str(error)


def test_a_redis_named_as_a_sentinel_and_the_other_way_round_are_told() -> None:
    with running_redis(port=free_port()) as server, running_sentinel(server.port) as port:
        assert "this is no sentinel, but a Redis itself" in str(
            refusal(f"redis+sentinel://127.0.0.1:{server.port}/mymaster/0")
        )
        assert "or it is a sentinel, which redis+sentinel:// names" in str(refusal(f"redis://127.0.0.1:{port}/0"))
