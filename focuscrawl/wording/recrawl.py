"""Visits of pages that are there already: progress, summary, report."""

from __future__ import annotations

from focuscrawl.wording.base import Text

VISITED = Text("Visited", "重访")
FRESH = Text("Fresh", "新鲜度")
PROGRESS = Text(
    "{n:,} of {goal:,} visits, {changed:,} changed, {unchanged:,} unchanged, {moved:,} moved, {gone:,} gone,"
    " {failed:,} failed",
    "已重访 {n:,} / {goal:,}：变化 {changed:,}，未变 {unchanged:,}，迁移 {moved:,}，消失 {gone:,}，失败 {failed:,}",
)
FRESH_BEFORE = Text(", {share:.0%} fresh before", "，之前新鲜度 {share:.0%}")
FRESH_NOW = Text(
    "{share:.1%} of {n:,} pages were expected to be up to date when the round began",
    "本轮开始时，{n:,} 个网页中预计仍是最新的比例为 {share:.1%}",
    one="{share:.1%} of {n} page was expected to be up to date when the round began",
)
SO_FAR = Text(
    "this round so far {n:,}: {changed:,} changed, {unchanged:,} unchanged, {moved:,} moved, {gone:,} gone,"
    " {failed:,} failed",
    "本轮至今 {n:,}：变化 {changed:,}，未变 {unchanged:,}，迁移 {moved:,}，消失 {gone:,}，失败 {failed:,}",
)
ROUND_OF = Text("{at}: {seen}", "{at}：{seen}")
SEEN = Text(
    "{n:,} pages: {changed:,} changed, {unchanged:,} unchanged, {moved:,} moved, {gone:,} gone, {failed:,} failed;"
    " links found on them: {links:,}",
    "{n:,} 个网页：变化 {changed:,}，未变 {unchanged:,}，迁移 {moved:,}，消失 {gone:,}，失败 {failed:,}；"
    "从中发现 {links:,} 个链接",
    one="{n} page: {changed} changed, {unchanged} unchanged, {moved} moved, {gone} gone, {failed} failed;"
    " links found on it: {links:,}",
)
FRESHNESS = Text(
    "{before:.1%} → {after:.1%} of {n:,} pages are expected to be up to date; mean age {age}",
    "{n:,} 个网页中预计仍是最新的比例 {before:.1%} → {after:.1%}；平均陈旧时间 {age}",
    one="{before:.1%} → {after:.1%} of {n} page is expected to be up to date; mean age {age}",
)
TITLE = Text("Coming back", "重访")
NOTE = Text(
    "Rounds of visits. Fresh is the share of stored pages that are expected to be up to date, by the change rates that"
    " visits have shown, before and after the round. Age is the mean time since the first change that a stored page"
    " lacks.",
    "各轮重访。新鲜度是按重访得出的变化率，预计仍与网址内容一致的已存网页的比例（本轮之前和之后）；"
    "陈旧时间是已存网页缺少的第一次变化至今的平均时间。",
)
ROUND = Text("round", "轮次")
VISITS = Text("visits", "重访数")
CHANGED = Text("changed", "变化")
UNCHANGED = Text("unchanged", "未变")
MOVED = Text("moved", "迁移")
GONE = Text("gone", "消失")
FAILED = Text("failed", "失败")
LINKS = Text("links found", "发现链接")
BEFORE = Text("fresh before", "之前新鲜度")
AFTER = Text("fresh after", "之后新鲜度")
AGE = Text("age", "陈旧时间")
NEXT = Text("Next round in {time}.", "{time}后开始下一轮。")
