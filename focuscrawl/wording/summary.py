"""The first line of a crawl and the summary at its end."""

from __future__ import annotations

from focuscrawl.wording.base import Text

INTO = Text('Crawl of "{topic}" with {strategy} into {folder}', "主题“{topic}”，策略 {strategy}，写入 {folder}")
GOES_ON = Text(
    'Crawl of "{topic}" with {strategy} goes on in {folder}', "主题“{topic}”，策略 {strategy}，在 {folder} 中继续"
)
FILTER = Text(
    'Filter of {n:,} archives by "{topic}" into {folder}',
    "按主题“{topic}”筛选 {n:,} 个存档文件，写入 {folder}",
    one='Filter of {n} archive by "{topic}" into {folder}',
)

LOADING = Text("Loading Scrapy …", "正在载入 Scrapy …")
READING = Text("Reading the topic {topic} …", "正在读取主题 {topic} …")
OPENING = Text("Opening the run {run} …", "正在打开 {run} …")

FETCHED = Text("Fetched", "抓取")
RELEVANT = Text("Relevant", "相关")
STORED = Text("Stored", "保存")
HARVEST = Text("Harvest", "收获率")
QUEUE = Text("Queue", "待抓取")
STOPPED = Text("Stopped", "结束")
RESULTS = Text("Results", "结果")
WARNING = Text("Warning", "注意")
ADVICE = Text("Advice", "建议")

PAGES = Text("{n:,} pages", "{n:,} 个网页", one="{n} page")
OF_HOSTS = Text("{pages} of {n:,} hosts", "{pages}，来自 {n:,} 个主机", one="{pages} of {n} host")
NO_PAGE = Text("; {n:,} tries gave no page", "；另有 {n:,} 次尝试没有得到网页", one="; {n} try gave no page")
UNASKED = Text(
    "; {n:,} links were dropped without a request",
    "；另有 {n:,} 个链接未经请求即放弃",
    one="; {n} link was dropped without a request",
)
NOT_STORED = Text("; not stored: {reasons}", "；未保存：{reasons}")
HARVEST_RATE = Text(
    "{harvest:.1%}; {recent:.1%} of the last {window} (relevant of fetched)",
    "{harvest:.1%}；最近 {window} 个网页 {recent:.1%}（相关数 / 抓取数）",
)
NO_HARVEST = Text("– (relevant of fetched)", "–（相关数 / 抓取数）")
LINKS = Text("{n:,} links", "{n:,} 个链接", one="{n} link")
WHY = Text("{reason}: {detail}", "{reason}：{detail}")
WHERE = Text("{folder} ({files})", "{folder}（{files}）")
GO_ON = Text("Go on with {command}", "继续抓取：{command}")
INTERRUPTED = Text(
    "Interrupted before the crawl could end in order: all that was settled is kept. Go on with {command}",
    "抓取还没有正常结束就被中断，已处理的结果都已保存。继续抓取：{command}",
)
INTERRUPTED_EARLY = Text(
    "Interrupted before the crawl began: nothing was fetched. The same command starts it again.",
    "抓取尚未开始就被中断，没有抓取任何网页。用同一条命令重新开始。",
)

PROGRESS = Text(
    "{pages:,}{goal} pages, {relevant:,} relevant, {stored:,} stored, last {window}: {recent:.0%}, {speed:.1f} pages/s,"
    " queue {queued:,}{waiting}",
    "已抓取 {pages:,}{goal}，相关 {relevant:,}，保存 {stored:,}，最近 {window} 个：{recent:.0%}，{speed:.1f} 页/秒，"
    "待抓取 {queued:,}{waiting}",
)
PAUSED = Text("paused since {at}: {line}", "{at} 起已暂停：{line}")
LEFT = Text(", {time} left", "，剩余 {time}")
LAST_FIND = Text("last find: {page}", "最近发现：{page}")
GOAL = Text(" of {n:,}", "，目标 {n:,}")
NO_PAGES = Text(
    "0{goal} pages, queue {queued:,}: waiting for the first answers",
    "已抓取 0{goal}，待抓取 {queued:,}：等待第一个应答",
)
WAITING = Text(
    ", waiting for {n:,} hosts, next in {seconds} s",
    "，等待 {n:,} 个主机，{seconds} 秒后继续",
    one=", waiting for {n} host, next in {seconds} s",
)
