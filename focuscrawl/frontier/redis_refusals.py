"""What a Redis refuses for good, in sentences: each says what to change at the server, the user or the URL."""

from __future__ import annotations

import re

from focuscrawl.frontier.redis_connect import MasterNotFoundError, faults

# Redis 7 and later add to the error of a script where in it that was.
_WHERE = re.compile(r" script: [0-9a-f]{40}, on @user_script:\d+")
# A right that the user lacks inside a script, whose errors have no class of their own: Redis 6 and 7.0, and later ones.
_LACKS = re.compile(r"The user executing the script can't |ACL failure in script: ")
_UNKNOWN = re.compile(r"unknown command [`']([A-Za-z.]{1,40})")
_BEFORE_ANSWER = re.compile(r"\)>\)?>? - ")
_RIGHTS = "~{fc:* +@read +@write +@scripting +@connection +time +info"


def answer_text(error: BaseException) -> str:
    """Return what Redis answered, without the place in our script and the dot at the end; '' where nothing came.

    >>> answer_text(Exception(f"NOREPLICAS Not enough. script: {'0' * 40}, on @user_script:29."))
    'NOREPLICAS Not enough'
    """
    return _WHERE.sub("", str(error)).rstrip(".")


def rights_sentence(error: BaseException, user: str) -> str:
    """Return what to allow a user whose rights are not enough; '' where `error` is something else.

    Parameters
    ----------
    user
        As the URL names it; '' for none.
    """
    text = answer_text(error)
    inside = _LACKS.search(text)
    if inside is None and not isinstance(error, faults.NoPermissionError):
        return ""
    # Redis 6 names a command and a line of its own first.
    told = text if inside is None else text[inside.start() :].removeprefix("ACL failure in script: ")
    return (
        f'Redis refuses the user "{user or "default"}": {told}. Workers need {_RIGHTS}, by Sentinel +wait as well, and'
        " a move of partitions +restore: allow them with ACL SETUSER."
    )


def server_sentence(error: BaseException) -> str:
    """Return what of a server no crawl can do with; '' where `error` is something else."""
    text = answer_text(error)
    if "DB index is out of range" in text:
        return (
            "this Redis has no database of that number, the last part of the URL. Expected 0 to 15, unless the server"
            " is set to more (databases)."
        )
    if "SELECT is not allowed in cluster mode" in text:
        return "this Redis is a node of a cluster, which has database 0 only. Expected /0 as the last part of the URL."
    unknown = _UNKNOWN.search(text)
    if unknown is not None and unknown[1].upper() == "SENTINEL":
        return (
            "this is no sentinel, but a Redis itself. Expected redis:// with it, or the port of a sentinel, usually"
            " 26379."
        )
    if unknown is not None:
        return (
            f"this Redis has no command {unknown[1].upper()}: it was renamed or switched off there, the server is too"
            " old, or it is a sentinel, which redis+sentinel:// names. Expected Redis 6.2 or later without"
            " rename-command for what crawls need."
        )
    if "nknown Redis command called from" in text or "nknown command called from" in text:
        return (
            "this Redis lacks a command that a script of ours calls: it was renamed or switched off there, or the"
            " server is too old. Expected Redis 6.2 or later without rename-command for what crawls need."
        )
    return ""


def sentinel_sentence(error: MasterNotFoundError) -> tuple[str, bool]:
    """Return why sentinels name no master, and whether waiting may mend it.

    The client library tells it in one text, with the options of each connection before what that sentinel answered.
    """
    whole, *answers = _BEFORE_ANSWER.split(str(error))
    master = whole.partition("'")[2].partition("'")[0]
    told = [*dict.fromkeys(answer.partition(", <redis.")[0] for answer in answers)]
    if told and all("Auth" in answer or "NOAUTH" in answer for answer in told):
        return (
            f"the sentinels refuse the login ({told[0]}). Expected their own password, not that of the master, as"
            " ?sentinel_password= in the URL.",
            False,
        )
    why = f" ({', '.join(told)})" if told else ""
    return f'no sentinel that answers names a master "{master}" that is up{why}.', True


def damage_sentence(error: BaseException, evicted: int) -> str:
    """Return what became of a crawl whose keys a script stumbles over; '' where `error` is something else.

    Parameters
    ----------
    evicted
        How many keys the server says it has thrown away since it started; 0 where it does not say.
    """
    text = answer_text(error)
    if "user_script:" not in str(error):  # an error of Lua has no class of its own, and Redis words it by its version
        return ""
    how = (
        f"Redis was full and has thrown {evicted:,} keys away, as its maxmemory-policy says. Set it"
        if evicted
        else "keys of it are missing or changed, as when a full Redis has thrown some away (maxmemory-policy), or"
        " somebody has written to them. Set the policy"
    )
    return f"this crawl is damaged: {how} to noeviction, and begin the crawl under another FOCUSCRAWL_CRAWL ({text})."
