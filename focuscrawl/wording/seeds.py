"""What ``focuscrawl seeds`` shows."""

from __future__ import annotations

from collections.abc import Mapping

from focuscrawl.wording.base import Text

ASKING = Text("Asking for: {queries}", "正在搜索：{queries}")
IMPORTED = Text("{source}: {kind}, {n} addresses", "{source}：{kind}，{n} 个网址", one="{source}: {kind}, {n} address")
LEFT_OUT = Text(
    "{source}: {n} lines are no http or https address and are left out; the first is line {number}: {line}",
    "{source}：有 {n} 行不是 http 或 https 网址，未采用；第一处是第 {number} 行：{line}",
    one="{source}: one line is no http or https address and is left out, line {number}: {line}",
)
KINDS: Mapping[str, Text] = {
    "Netscape bookmarks": Text("Netscape bookmarks", "Netscape 书签"),
    "Chrome bookmarks": Text("Chrome bookmarks", "Chrome 书签"),
    "Firefox bookmarks": Text("Firefox bookmarks", "Firefox 书签"),
    "sitemap": Text("sitemap", "网站地图"),
    "list": Text("list", "网址列表"),
    "best hosts of a run": Text("best hosts of a run", "一次抓取中最好的主机"),
}
NO_SEEDS = Text(
    "{topic}: the topic has no seeds; find some: focuscrawl seeds find {reference}",
    "{topic}：这个主题没有种子，可以这样找：focuscrawl seeds find {reference}",
)

STATE = Text("State", "状态")
SEED = Text("Seed", "种子")
DETAIL = Text("Detail", "说明")
NUMBER = Text("No.", "编号")
SCORE = Text("Score", "得分")
ADDRESS = Text("Address", "网址")
TITLE = Text("Title", "标题")
WHY = Text("Why", "理由")

STATES: Mapping[str, Text] = {
    "fine": Text("fine", "正常"),
    "dead": Text("dead", "无法访问"),
    "moved": Text("moved", "已搬家"),
    "parked": Text("parked", "域名待售"),
    "off topic": Text("off topic", "离题"),
}
LOOKED = Text("{url}: {state}: {detail}", "{url}：{state}：{detail}")
FINE_OF = Text("Seeds that are fine: {fine} of {n}.", "{n} 个种子中 {fine} 个正常。")
FOR_SALE = Text("the name is for sale", "域名正在出售")
MOVED_TO = Text("to {url}", "搬到 {url}")
NO_WORD_ON_IT = Text("no word of the topic on it", "网页上没有主题词")
RELEVANCE = Text("relevance {score:.2f}", "相关度 {score:.2f}")
NOW_AT = Text("{told}; now {url}", "{told}，现址 {url}")
NO_WORD = Text("no word of the topic", "没有主题词")
BY_SEARCH = Text('search "{query}"', "搜索“{query}”")
FOUND_BY = Text("{reason}; {source}", "{reason}；{source}")

TAKE_WHICH = Text("Take which? (1-5,8; all; none)", "选哪些？（1-5,8；all 全部；none 都不要）")
NO_SUCH_ANSWER = Text(
    '"{answer}": expected numbers of 1 to {most}, as in 1-5,8, or all, or none.',
    "“{answer}”：请输入 1 到 {most} 的编号，例如 1-5,8，或者 all（全部）、none（都不要）。",
)
HEADING = Text("{about}: {n} seeds", "{about}：{n} 个种子", one="{about}: {n} seed")
FOR_TOPIC = Text("for {topic}", "主题 {topic}")
WRITTEN = Text(
    "{n} seeds written to {out}; crawl from them: focuscrawl crawl {topic} --seeds {out}",
    "{n} 个种子已写入 {out}，从它们开始抓取：focuscrawl crawl {topic} --seeds {out}",
    one="{n} seed written to {out}; crawl from it: focuscrawl crawl {topic} --seeds {out}",
)
