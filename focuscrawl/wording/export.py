"""``focuscrawl export``: what was written, and where."""

from __future__ import annotations

from focuscrawl.wording.base import Text

PAGES = Text("{n:,} pages written to {target}", "已将 {n:,} 个网页写入 {target}", one="{n} page written to {target}")
NOT_ARCHIVED = Text(
    "{n:,} more results are not listed: their answers are not in the archive",
    "另有 {n:,} 个结果未列入：归档里没有它们的响应",
    one="{n} more result is not listed: its answer is not in the archive",
)
FEEDS = Text("{n:,} feeds written to {target}", "已将 {n:,} 个订阅源写入 {target}", one="{n} feed written to {target}")
VERSIONS = Text(
    "{n:,} earlier versions of pages written to {target}",
    "已将网页的 {n:,} 个旧版本写入 {target}",
    one="{n} earlier version of a page written to {target}",
)
PAGE_GRAPH = Text(
    "{n:,} pages with {links} written to {target}",
    "已将 {n:,} 个网页和{links}写入 {target}",
    one="{n} page with {links} written to {target}",
)
HOST_GRAPH = Text(
    "{n:,} hosts with {links} written to {target}",
    "已将 {n:,} 个主机和{links}写入 {target}",
    one="{n} host with {links} written to {target}",
)
LINKS = Text("{n:,} links", "它们之间的 {n:,} 个链接", one="{n} link")
SENT_PAGES = Text(
    "{n:,} pages sent to {target}; those that were there already are left out",
    "已将 {n:,} 个网页发往 {target}；那里已有的略过",
    one="{n} page sent to {target}; those that were there already are left out",
)
TAKEN_OUT = Text(
    "{n:,} pages that are no results any more were taken out",
    "已移除 {n:,} 个不再是结果的网页",
    one="{n} page that is no result any more was taken out",
)
SENT_FILES = Text(
    "{n:,} files sent to {target}; {there:,} there already",
    "已将 {n:,} 个文件发往 {target}；已有 {there:,} 个",
    one="{n} file sent to {target}; {there:,} there already",
)
