"""Why a crawl stopped, and why relevant pages are no results, in words; the mappings' names are what is stored."""

from __future__ import annotations

from collections.abc import Mapping

from focuscrawl.wording.base import Say, Text

REASONS: Mapping[str, Text] = {
    "budget": Text("the budget is used up", "预算用完"),
    "exhausted": Text("no links are left to fetch", "没有可抓取的链接了"),
    "archives read": Text("the archives were read to their end", "存档文件已全部读完"),
    "harvest too low": Text("too few of the last pages were relevant", "最近抓取的网页相关的太少"),
    "stopped": Text("stopped by hand", "人工停止"),
    "error": Text("an error ended it", "出错终止"),
}
NOT_STORED: Mapping[str, Text] = {
    "duplicate": Text("duplicate", "与已有网页重复"),
    "asks not to be indexed": Text("asks not to be indexed", "声明不愿被收录"),
    "says what many addresses of its host say": Text(
        "says what many addresses of its host say", "与同一主机许多网址内容相同"
    ),
}
COUNTED = Text("{n:,} {what}", "{what} {n:,}")
WORDLESS = Text(
    "{n:,} of {stored:,} results ({share:.0%}) have no topic word in title, text or tags: {hosts}{more}",
    "{stored:,} 个结果中有 {n:,} 个（{share:.0%}）标题、正文和标签里没有主题词：{hosts}{more}",
)
OF_HOST = Text("{n:,} of {host}", "{host} {n:,} 个")
MORE_HOSTS = Text(" and {n:,} more hosts", "，另有 {n:,} 个主机")
COMMA = Text(", ", "，")


def counted_reasons(reasons: Mapping[str, int], say: Say) -> str:
    """Return how many pages are no results for which reason, most first.

    >>> counted_reasons({"duplicate": 14, "asks not to be indexed": 1033}, Say())
    '1,033 asks not to be indexed, 14 duplicate'
    """
    ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    return say(COMMA).join(say(COUNTED, n=count, what=say.known(NOT_STORED, reason)) for reason, count in ordered)
