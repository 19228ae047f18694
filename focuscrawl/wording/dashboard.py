"""Texts of the dashboard; its script fills the placeholders."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from focuscrawl.wording.base import Say, Text, texts_of
from focuscrawl.wording.endings import REASONS

TITLE = Text("Dashboard", "仪表盘")
OPENED = Text("Dashboard: {address}", "仪表盘：{address}")
UNTIL = Text("It is there until Ctrl-C.", "按 Ctrl-C 结束。")
AWAITED = Text(
    "There is no such run yet; waiting {seconds} s for it. A crawl makes its folder when it has read its topic;"
    " --wait 60 waits longer.",
    "还没有这个运行；等它 {seconds} 秒。抓取读完主题后才建立目录；--wait 60 可以等得更久。",
)
LOADING = Text("Reading the run …", "正在读取……")
OVER = Text(
    "The crawl has ended, and its dashboard with it; these are the final numbers. focuscrawl dashboard shows them"
    " again.",
    "抓取已结束，仪表盘随之关闭；以下是最终结果。用 focuscrawl dashboard 可再次查看。",
)
LOST = Text("No connection to the dashboard. Is it still running?", "与仪表盘的连接已断开。程序还在运行吗？")
NO_TOKEN = Text(
    "You can only look: open the whole address that was printed, with what follows the #, to give orders.",
    "现在只能查看：请打开程序打印的完整网址（包括 # 之后的部分），才能发出命令。",
)
NO_STEER = Text("This crawl cannot be steered from here: {why}", "无法从这里控制这次抓取：{why}")
SEVERAL = Text("name the fleet's Redis with --on redis://…", "请用 --on redis://… 指明集群的 Redis")
FAULT = Text("The run cannot be read: {why}", "无法读取这次抓取：{why}")

RUNNING = Text("running", "运行中")
PAUSED = Text("paused", "已暂停")
PAUSED_SINCE = Text("paused since {at}", "{at} 起已暂停")
STOPPING = Text("stopping", "正在停止")
ENDED = Text("ended", "已结束")
GONE = Text("not running", "未运行")
ALONE = Text("no worker", "没有工作进程")
GONE_TOLD = Text(
    "No end is recorded: the crawl was killed, or runs on another machine.",
    "没有结束记录：爬虫被强行终止，或在别的机器上运行。",
)
REPORT = Text("Report", "报告")
REPORT_AT = Text("Its report: {file}", "报告：{file}")
LOOK_AT = Text("Worth a look: ", "请注意：")
IN_BRACKETS = Text(" ({text})", "（{text}）")
WHY_ENDED = Text("It ended: {why}", "结束原因：{why}")
STRATEGY = Text("strategy {name}", "策略 {name}")
FLEET = Text("fleet {name} on {server}", "集群 {name}，{server}")

PAGES = Text("pages", "网页")
OF_GOAL = Text("of {goal}", "共 {goal}")
RELEVANT = Text("relevant", "相关")
STORED = Text("{n} stored", "保存 {n}")
HARVEST = Text("harvest", "收获率")
RECENT = Text("of the pages are relevant; of the last {n}: {share}", "的网页相关；最近 {n} 个：{share}")
SPEED = Text("pages/s", "页/秒")
LEFT = Text("about {time} left", "约剩 {time}")
WORKED = Text("{time} at work", "运行 {time}")
HOSTS = Text("hosts", "主机")
WITH_RELEVANT = Text("{n} with a relevant page", "{n} 个有相关网页")
WAIT = Text("wait to be fetched", "等待抓取")
QUEUE = Text("links in the queue", "待抓取链接")
NO_PAGES_YET = Text("No page has come yet.", "还没有抓到网页。")
THRESHOLD = Text("threshold", "阈值")
NO_PAGE = Text("gave no page", "未得到网页")
OF_FETCHES = Text("{share} of all fetched", "占全部已抓取链接的 {share}")

CURVE = Text("Relevant pages found", "找到的相关网页")
CURVE_NOTE = Text(
    "Beside this crawl: what its mean so far amounts to, and what breadth-first could expect. That is an estimate from"
    " this run's own verdicts and priorities, rather too high.",
    "对照：按目前的平均收获率，以及广度优先可期望的结果。后者由本次抓取的判断和优先级估计，往往偏高。",
)
THIS_CRAWL = Text("this crawl", "本次抓取")
MEAN = Text("its mean", "平均")
BREADTH = Text("breadth-first, expected", "广度优先（期望）")
NO_BREADTH = Text(
    "The queue is elsewhere, so breadth-first is not estimated.", "待抓取队列不在这里，无法估计广度优先。"
)
NOT_COUNTED = Text("The links that wait are being counted.", "正在统计待抓取链接。")
RECENT_CURVE = Text("Harvest of the last 100 pages", "最近 100 个网页的收获率")
THRESHOLD_CURVE = Text("Threshold", "阈值")
THRESHOLD_NOTE = Text(
    "The relevance, from 0 to 1, from which a page counts as relevant. It has nothing to do with the harvest above,"
    " which is a share of pages.",
    "网页相关度（0 到 1）达到阈值即视为相关。它与上面的收获率（网页所占比例）是两回事。",
)
PAGES_FETCHED = Text("pages fetched", "已抓取网页")

FINDS = Text("Finds", "新发现")
NO_FINDS = Text("No relevant page yet.", "还没有相关网页。")
NO_TEXT: Mapping[str, Text] = {
    "duplicate": Text("No text shown: it says what another page says.", "不显示正文：与另一网页内容相同。"),
    "asks not to be indexed": Text(
        "No text kept: the page asks not to be indexed.", "未保存正文：该网页声明不愿被收录。"
    ),
    "says what many addresses of its host say": Text(
        "No text kept: many addresses of its host say the same.", "未保存正文：同一主机许多网址内容相同。"
    ),
    "far": Text("No text kept: the page is far below the threshold.", "未保存正文：相关度远低于阈值。"),
    "none": Text(
        "No text: none was found on the page; its address, title or links made it relevant.",
        "没有正文：网页上没有找到正文，因网址、标题或链接而相关。",
    ),
}
"""Why a page is shown without a text, by what the server says."""
UNTITLED = Text("(no title)", "（无标题）")
EXPLAIN = Text("Why?", "为什么？")
ON_TOPIC = Text("On the topic", "符合主题")
OFF_TOPIC = Text("Not on it", "不符合")
BAN = Text("Ban host", "屏蔽主机")
BAN_ASK = Text("Leave {host} and all hosts below it alone from now on?", "从现在起不再抓取 {host} 及其下级主机？")

BY_HOST = Text("Hosts", "主机")
HOST = Text("host", "主机")
FETCHED = Text("fetched", "抓取")
WAITS = Text("queued", "待抓取")
BY_SCORE = Text("Queue by priority", "队列优先级分布")
BY_SCORE_NOTE = Text(
    "Links that wait, by tenths of their priority: 0 is fetched last, 1 first. What is beyond counts to the ends.",
    "待抓取链接数，按优先级每 0.1 一档：0 最后抓取，1 最先。超出范围的计入两端。",
)
TURN_VISIT = Text("visits", "重访")
TURN_VISIT_TOLD = Text("Pages that are fetched again, before all links.", "再次抓取的网页，先于所有链接。")
TURN_CALLED = Text("called up", "提前")
TURN_CALLED_TOLD = Text(
    "Goes before all others, to look at a new host or to try another order than the strategy's own.",
    "先于其他链接抓取：为了解新主机，或试验策略之外的次序。",
)
TURN_BEHIND = Text("held back", "暂缓")
TURN_BEHIND_TOLD = Text(
    "Goes after all others: its site has had its share, or the page it is on repeats others.",
    "排在其他链接之后：所在网站已占足份额，或来源网页与其他网页重复。",
)
SAMPLED = Text("Of {n} links that were looked at.", "抽查了 {n} 个链接。")
NEXT = Text("Next", "接下来")
NEXT_NOTE = Text("With their priority, from 0 to 1.", "左侧为优先级（0 到 1）。")
ERRORS = Text("Links that gave no page", "未得到网页的链接")
NO_ERRORS = Text("None so far.", "目前没有。")
OUTCOME_FAILED = Text("after all tries", "多次尝试后")
OUTCOME_REFUSED = Text("not worth another try", "不必再试")
VISITS = Text("Visits of known pages", "重访")
VISITS_NOW = Text("this round, {n} to come", "本轮，还剩 {n}")
VISITS_LAST = Text("last round, {at}", "上一轮，{at}")
SAW_CHANGED = Text("changed", "变化")
SAW_UNCHANGED = Text("unchanged", "未变")
SAW_MOVED = Text("moved", "迁移")
SAW_GONE = Text("gone", "消失")
SAW_FAILED = Text("failed", "失败")
FRESH = Text(
    "Fresh, as far as is known: {before} → {after} of {n} pages are up to date; mean age {age}.",
    "新鲜度（估计）：{n} 个网页中与网址现内容一致的比例 {before} → {after}；平均陈旧时间 {age}。",
)
WORKERS = Text("Workers", "工作进程")
NO_WORKERS = Text("No process crawls now.", "当前没有进程在抓取。")
TRAINER = Text("trains", "负责学习")
SILENT = Text("silent for {n} s", "{n} 秒没有回应")
DEAD = Text("dead", "已失联")
PROCESS = Text("process {pid}", "进程 {pid}")

TAB_LIVE = Text("Live", "实时")
TAB_SEARCH = Text("Search", "搜索")
TAB_TEACH = Text("Teach", "教学")
TAB_HOSTS = Text("Host map", "主机图")
SEARCH_FOR = Text("Words in title, address or text", "标题、网址或正文中的词")
SEARCH = Text("Search", "搜索")
FOUND = Text("Pages found: {n}", "找到网页：{n}")
FOUND_MORE = Text("The first {n} pages; there are more.", "前 {n} 个网页，还有更多。")
NOT_FOUND = Text("No page has all these words.", "没有同时包含这些词的网页。")
SEARCH_NOTE = Text(
    "The text of results and near misses is kept, of other pages title and address.",
    "保存正文的只有结果和接近阈值的网页；其他网页可按标题和网址搜索。",
)

TEACH_NOTE = Text(
    "Pages nearest the threshold teach most. Every answer is written at once, as an example beside the topic file; the"
    " judge learns from them when you apply them.",
    "最接近阈值的网页最有教学价值。每个回答立即作为例子写入主题文件旁；应用后评判即据此学习。",
)
TEACH_NONE = Text("No page to ask about yet.", "还没有可提问的网页。")
TEACH_ONE = Text("Teaching needs one run folder.", "教学需要单个运行文件夹。")
ANSWERS = Text("Answers kept: {n}; not applied yet: {waiting}", "已保存的回答：{n}；尚未应用：{waiting}")
KEPT_IN = Text("They are in {file}.", "保存在 {file}。")
KEPT = Text("Kept. Not applied yet: {n}; the tab Teach applies them.", "已保存。尚未应用：{n}，可在“教学”中应用。")
APPLY = Text("Apply", "应用")
UNDO = Text("Undo the last answer", "撤销上一个回答")
TAUGHT_RUNNING = Text(
    "{n} examples kept; the crawl judges by them within a second or two.",
    "已保存 {n} 个例子；爬虫一两秒内就会据此评判。",
)
TAUGHT = Text(
    "{judged} pages judged anew: {more} relevant now, {fewer} no more.",
    "重新评判 {judged} 个网页：新增相关 {more}，不再相关 {fewer}。",
)

PAUSE = Text("Pause", "暂停")
RESUME = Text("Resume", "继续")
STOP = Text("Stop", "停止")
STOP_ASK = Text("End the crawl? It can be taken up again later.", "结束抓取？以后可以继续。")
MORE_ORDERS = Text("More …", "更多……")
ADD_SEEDS = Text("Add seeds", "添加种子")
ADD_SEEDS_HELP = Text("Addresses, one a line; they are fetched before all others.", "每行一个网址，优先抓取。")
BAN_HELP = Text("A host name; all below it are meant, too.", "主机名，包括其下级主机。")
RETOPIC = Text("Change the topic", "更换主题")
RETOPIC_HELP = Text(
    "A topic file or the name of a topic: links that wait are scored anew, pages are judged by it from now on.",
    "主题文件或主题名：重新给待抓取链接打分，之后的网页按新主题评判。",
)
LIMIT = Text("Change a limit", "修改限制")
LIMIT_HELP = Text(
    "pages=5000, minutes=60, relevant=200 or min_harvest=0.05; 0 is no limit.",
    "pages=5000、minutes=60、relevant=200 或 min_harvest=0.05；0 为不限。",
)
GIVE = Text("Give order", "发出命令")
GIVEN = Text("{order}: given; carried out within a second or two.", "{order}：已发出，一两秒内执行。")
GIVEN_LATER = Text(
    "{order}: given; carried out when the crawl goes on, for nothing runs now.",
    "{order}：已发出；现在没有进程运行，继续抓取时执行。",
)
CANCEL = Text("Cancel", "取消")
CLOSE = Text("Close", "关闭")
YES = Text("Yes", "是")

WHY_THEN = Text("Why it was fetched then", "为什么这时抓取")
WHY_PLACE = Text("Why it has its place in the queue", "为什么排在这个位置")
PART = Text("part", "成分")
VALUE = Text("value", "值")
VALUE_TOLD = Text("How much of it there is, from 0 to 1", "程度，0 到 1")
WEIGHT = Text("weight", "权重")
WEIGHT_TOLD = Text("How much it counts", "所占比重")
AMOUNT = Text("adds", "贡献")
AMOUNT_TOLD = Text("Value × weight", "值 × 权重")
SUM_NOTE = Text(
    "What speaks for the link, each value from 0 to 1 times its weight, adds up to its score. What came of links like"
    " it raises or lowers that. The link with the highest priority is fetched next.",
    "各项理由（值在 0 到 1 之间，乘以权重）相加为得分，再按同类链接的结果增减。优先级最高的链接最先抓取。",
)
SCORE = Text("score", "得分")
OFFSET = Text("what came of links like it (offset of the group)", "同类链接的结果（所在组的偏移）")
PRIORITY = Text("priority", "优先级")
CALLED_BY = Text("Called up by {order}: it goes before all others.", "由 {order} 提前：先于其他链接。")
PARTS: Mapping[str, Text] = {
    "words": Text("topic words in the link itself", "链接本身有主题词"),
    "quality": Text("its address looks like that of a page", "网址像普通网页"),
    "other_host": Text("leads to another host", "指向其他主机"),
    "hub": Text("topic words in the title of the page it is on", "所在网页标题有主题词"),
    "around": Text("topic words beside the link", "链接旁有主题词"),
    "rw": Text("related words in or around the link", "链接内外有相关词"),
    "content": Text("stands in the main content of its page", "位于网页正文"),
    "learned": Text("what the crawl has learned of such links", "抓取中对此类链接的学习"),
    "parent": Text("relevance of the page it is on", "所在网页的相关度"),
    "score": Text("its own score", "自身得分"),
    "called up": Text("goes before all others", "先于其他链接"),
    "last in line": Text("goes after all others", "排在其他链接之后"),
}
"""Parts of a score in plain words; one that is not here stands for itself."""
VERDICT = Text("What was made of it", "如何评判")
RELEVANCE = Text("relevance", "相关度")
IS_RELEVANT = Text(
    "relevance {relevance} ≥ threshold {threshold}: relevant", "相关度 {relevance} ≥ 阈值 {threshold}：相关"
)
NOT_RELEVANT = Text(
    "relevance {relevance} < threshold {threshold}: not relevant", "相关度 {relevance} < 阈值 {threshold}：不相关"
)
EXPECTED = Text("chance of being relevant, as expected beforehand: {share}", "抓取前预计的相关概率：{share}")
WORDS_AT = Text("Where the topic's words stand", "主题词出现的位置")
AT_TITLE = Text("title", "标题")
AT_HEADINGS = Text("headings", "小标题")
AT_TEXT = Text("text", "正文")
AT_TAGS = Text("its tags", "自身标签")
AT_LINKS = Text("its links", "自身链接")
AT_URL = Text("address", "网址")
AT_SITE = Text("repeated by the site", "网站各页重复")
FROM_PAGE = Text("Found on {page}", "发现于 {page}")
IS_ARCHIVED = Text("Read from an archive file", "读自存档文件")
IS_SEED = Text("A seed: no page linked to it", "种子：没有网页链接到它")
NUMBER = Text(
    "Fetch number {number} (those that gave no page count, too);",
    "全部抓取中的第 {number} 次（未得到网页的也计入），",
)
DEPTH = Text("{n} links from a seed", "距种子 {n} 个链接", one="{n} link from a seed")
WAITING = Text(
    "waits in the queue, {n} links before it", "排队中，前面有 {n} 个链接", one="waits in the queue, {n} link before it"
)
AS_ANCHOR = Text('as "{anchor}"', "锚文本“{anchor}”")
NEIGHBOURS = Text("Neighbourhood", "邻近网页")
NEIGHBOURS_NOTE = Text(
    "Left: fetched pages that link here, {from} in all. Right: where it links, {to} fetched and {waiting} that wait."
    " The best of each are drawn; filled ones are relevant.",
    "左：链接到此页的已抓取网页，共 {from} 个。右：此页的链接，{to} 个已抓取，{waiting} 个排队中。"
    "各画出最好的几个，实心为相关。",
)
HOSTS_NOTE = Text(
    "{n} of {all} hosts, those with most relevant pages first, then those with most pages. An arrow: pages of one led"
    " the crawl to pages of the other. The larger, the more pages; the filled part is relevant.",
    "共 {all} 个主机，画出 {n} 个：相关网页多的优先，其次网页多的。箭头表示由一个主机的网页发现了另一个主机的网页。"
    "圆越大网页越多，实心部分为相关。",
)
DRAW_AGAIN = Text("Draw again", "重新绘制")
LANGUAGE_TOLD = Text("Switch to Chinese", "切换到英文")
SOURCES = Text(
    "Scripts: Preact, htm (MIT, Apache 2.0) and uPlot (MIT); nothing is loaded from a network.",
    "脚本：Preact、htm（MIT、Apache 2.0）与 uPlot（MIT）；不从网络加载任何内容。",
)


def page_texts(say: Say) -> dict[str, str]:
    """Return all texts of the page's script in one language, unfilled, by name.

    Reasons of an end are ``REASON_…``, of a page without a text ``NO_TEXT_…``,
    parts of a score ``PART_…``, and what is said of one thing ``…_ONE``.
    """
    here = sys.modules[__name__]
    out = say.table(here)
    single = {name: text.zh if say.language == "zh" else text.one for name, text in texts_of(here).items() if text.one}
    out |= {f"{name}_ONE": text for name, text in single.items()}
    for prefix, texts in (("REASON", REASONS), ("NO_TEXT", NO_TEXT), ("PART", PARTS)):
        out |= {f"{prefix}_{name}": say.known(texts, name) for name in texts}
    return out
