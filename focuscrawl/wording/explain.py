"""``focuscrawl explain``."""

from __future__ import annotations

from collections.abc import Mapping

from focuscrawl.wording.base import Text

ASKED_AS = Text("(asked for as {url})", "（查询的网址是 {url}）")
AHEAD = Text("{n:,} links before it", "前面有 {n:,} 个链接", one="{n} link before it")
FIRST = Text("first of all", "排在最前")
WAITS = Text("waits in the queue, {place}; it may be on its way right now", "在队列里，{place}；也可能正在抓取")
STATES: Mapping[str, Text] = {
    "fetched": Text("fetched", "已抓取"),
    "failed": Text("failed", "失败"),
    "refused": Text("refused", "被拒绝或无用"),
    "queued": Text("queued", "在队列里"),
    "leased": Text("leased", "正在抓取"),
}
WHY_THEN = Text("Why it was fetched then", "为什么在那时抓取")
WHY_PLACE = Text("Why it has its place", "为什么排在这个位置")
WHAT_CAME = Text("What was made of it", "抓取之后")
CALLED_BY = Text("called up by {order}: it goes before all others", "由 {order} 提前：先于其他链接")
SHARES = Text("shares of the fetches, as last saved: {shares}", "各次序占抓取的比例（最近一次保存）：{shares}")
FETCH = Text(
    "{state} {at}as fetch number {n:,} (those that gave no page count, too)",
    "{state}，{at}第 {n:,} 次抓取（未得到网页的也计入）",
)
HTTP = Text(", HTTP {status}", "，HTTP {status}")
LED_TO = Text("led to {url}", "转到 {url}")
TITLE = Text("title: {title}", "标题：{title}")
VISITED = Text("last asked for again {at}: {saw}", "最近一次重访 {at}：{saw}")
SAW: Mapping[str, Text] = {
    "changed": Text("it had changed", "内容有变化"),
    "unchanged": Text("unchanged", "未变"),
    "moved": Text("its address led elsewhere than before", "网址转到了别处"),
    "gone": Text("it was gone; what is told is from before", "网页已消失，以下是此前的内容"),
}

SCORE = Text("score of the link", "链接的得分")
BECAUSE = Text("{what}: {reason}", "{what}：{reason}")
NOT_IN_PARTS = Text(
    "not in the parts (pages fetched since, or limited to the range of a score)",
    "不在各项之内（此后又抓取了网页，或得分受范围限制）",
)
NOTHING_FROM = Text("nothing from: {parts}", "没有得分的项：{parts}")
WITHOUT_ANCHOR = Text(
    "without the words of its text its score would be {score:.4f}", "不看链接文字，得分是 {score:.4f}"
)
PARTS = Text("parts", "各项")
ALSO_KNOWN = Text("also known", "另外已知")
JUDGE_PARTS = Text("the judge's parts", "判断器的各项")
FACTS = Text("{title}: {facts}", "{title}：{facts}")
OFFSET = Text("offset of its group", "所在链接组的修正值")
OFFSET_OF = Text("offset of its group {group}", "所在链接组 {group} 的修正值")
PRIORITY = Text("priority", "优先级")

COUNTS = Text(
    "what the offset rests on, as last saved (a page near the threshold counts in part):",
    "修正值的依据（最近一次保存；接近阈值的网页只计一部分）：",
)
LEVELS: Mapping[str, Text] = {
    "group": Text("links like this one", "同类链接"),
    "section": Text("to {name}", "指向 {name}"),
    "place": Text("from this place of the template", "来自模板的同一位置"),
    "host": Text("to {name}, all sections", "指向 {name} 的各栏目"),
    "crawl": Text("the whole crawl", "整个抓取"),
}
COUNT = Text("{name}: {relevant:.1f} of {pages:.1f} relevant", "{name}：{pages:.1f} 个中 {relevant:.1f} 个相关")
COUNT_LINKS = Text(
    "; of the pages they led to: {relevant:.1f} of {n:.1f}", "；它们引出的网页：{n:.1f} 个中 {relevant:.1f} 个"
)
COUNT_SCORE = Text("; mean score of the fetched links {score:.2f}", "；抓取所用链接的平均得分 {score:.2f}")
COUNT_OPENS = Text("; link yield {opens:.2f}", "；引出新链接的比例 {opens:.2f}")

NO_PAGE = Text("no page: {reason}", "没有网页：{reason}")
JUDGED = Text(
    "relevance {relevance} {sign} threshold {threshold}: {word}", "相关度 {relevance} {sign} 阈值 {threshold}：{word}"
)
RELEVANT = Text("relevant", "相关")
NOT_RELEVANT = Text("not relevant", "不相关")
JUDGED_BY = Text("judged by {topic}", "依据主题 {topic}")
EXPECTED = Text(
    "probability of being relevant, as expected by its priority: {p:.0%}", "按优先级预测的相关概率为 {p:.0%}"
)
NOT_KEPT = Text("not kept: it says the same as {page}", "未保存：与 {page} 内容相同")
NOT_STORED = Text("not stored: the page {why}", "未保存：{why}")
JUDGED_AGAIN = Text(
    "judged again when its host was known: relevance was {before}", "了解其主机之后重新判断：此前相关度为 {before}"
)
EARLIER = Text("an earlier page", "之前的一个网页")
KEPT = Text("kept as a result, text by {extractor}, {n:,} characters", "已保存，正文由 {extractor} 提取，{n:,} 字")
NO_EXTRACTOR = Text("no extractor", "无提取器")
RENDERED = Text("rendered: a browser ran its scripts before it was read", "已渲染：读取之前由浏览器运行了脚本")
UNDECODABLE = Text(
    "some of its bytes stand for nothing in {encoding}, the encoding it was read in",
    "有些字节在所用的编码 {encoding} 里没有意义",
)
WORDS = Text("where the topic's words stand:", "主题词出现的位置：")
PLACES: Mapping[str, Text] = {
    "title": Text("in the title", "标题"),
    "headings": Text("in headings", "小标题"),
    "text": Text("in the text", "正文"),
    "tags": Text("in tags of its own", "自己的标签"),
    "links": Text("in links of its own, or beside its text", "自己的链接或正文之外"),
    "url": Text("in the address", "网址"),
    "site": Text("repeated by the site, hardly counted", "站点重复的内容，几乎不计"),
}
PLACE = Text("{place}: {words}", "{place}：{words}")

ARCHIVED = Text("read from an archive file", "读自存档文件")
SEED = Text("a seed: no page linked to it", "种子：不是从别的网页找到的")
FOUND_ON = Text("found on {parent}{anchor}, {steps}{through}", "发现于 {parent}{anchor}，{steps}{through}")
A_PAGE = Text("a page", "某个网页")
ANCHOR = Text(' as "{words}"', "，链接文字“{words}”")
STEPS = Text("{n} links from a seed", "离种子 {n} 个链接", one="{n} link from a seed")
THROUGH = Text(
    ", after {n} off-topic pages in a row", "，之前连续 {n} 个离题网页", one=", after {n} off-topic page in a row"
)
