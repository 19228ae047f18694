"""``focuscrawl status`` and ``focuscrawl fleet status``."""

from __future__ import annotations

from collections.abc import Mapping

from focuscrawl.wording.base import Text

RUN = Text("run", "目录")
RUNS = Text("runs", "目录")
CRAWL = Text("crawl", "抓取")
TOPIC = Text("topic", "主题")
STRATEGY = Text("strategy", "策略")
PAGES = Text("pages", "网页")
RELEVANT = Text("relevant", "相关")
STORED = Text("stored", "保存")
WARNING = Text("warning", "注意")
HARVEST = Text("harvest", "收获率")
HOSTS = Text("hosts", "主机")
KINDS = Text("kinds", "类型")
QUEUE = Text("queue", "待抓取")
NO_PAGE = Text("no page", "未得网页")
UNASKED = Text("not asked for", "未请求")
THRESHOLD = Text("threshold", "阈值")
STARTED = Text("started", "开始")
LAST_PAGE = Text("last page", "最后一页")
TOOK = Text("took", "用时")
VISITS = Text("visits", "重访")
FRESH = Text("fresh", "新鲜度")
STOPPED = Text("stopped", "结束")
STATE = Text("state", "状态")
SLOW = Text("slow", "缓慢")
TRAINER = Text("trainer", "训练者")
LIMITS = Text("limits", "限制")

WITH_TITLE = Text("{title} ({name})", "{title}（{name}）")
FETCHED = Text("{n:,} fetched", "已抓取 {n:,}")
RECENT = Text("{share} of the last {n:,}", "最近 {n:,} 个网页 {share}")
RATES = Text("{harvest}; {recent} (relevant of fetched)", "{harvest}；{recent}（相关数 / 抓取数）")
OF_HOSTS = Text("{n:,}, {relevant:,} with a relevant page", "{n:,}，其中 {relevant:,} 个有相关网页")
BEING_FETCHED = Text(", {n:,} being fetched", "，{n:,} 个正在抓取")
KEPT_ELSEWHERE = Text("not kept with these pages: it is in {frontier}", "不与网页存在一起，在 {frontier}")
RENDERED = Text("{n:,} rendered by a browser", "由浏览器渲染 {n:,}")
NEEDS_SCRIPTS = Text("{n:,} without text, for it needs JavaScript", "需要 JavaScript 才有正文 {n:,}")
FAILURE = Text("{n:,} × {reason}", "{reason} × {n:,}")
FAILURES = Text("{n:,}: {reasons}", "{n:,}：{reasons}")
AFTER_START = Text("{span} after the start", "开始后 {span}")
NO_WORKER_KNOWN = Text(
    "no: a worker is running, or was killed and not resumed yet", "没有：有进程在抓取，或者被杀掉后还没有继续"
)
PAUSED_WORKER = Text("no: paused since {at}, or killed since then", "没有：{at} 起已暂停，或此后被杀掉")
RUNNING_AS = Text("no: it is running as process {process}", "没有：正在抓取，进程 {process}")
NO_END = Text(
    "no end is recorded: it was killed, or runs elsewhere; go on with focuscrawl crawl --run {folder}",
    "没有结束记录：进程被杀掉了，或者在别处运行；用 focuscrawl crawl --run {folder} 继续",
)
MORE_HOSTS = Text("and {n:,} more hosts", "另有 {n:,} 个主机", one="and {n} more host")

TOLD_TO_STOP = Text("told to stop: {why}", "已要求结束：{why}")
PAUSED = Text("paused since {at}", "{at} 起已暂停")
PAUSED_AS = Text("no: paused since {at}, process {process}", "没有：{at} 起已暂停，进程 {process}")
RUNNING = Text("running", "正在抓取")
NO_WRITES = Text("held up: Redis takes no writes", "停滞：Redis 不接受写入")
ALL_SILENT = Text("no worker was heard of for {seconds:.0f} s", "{seconds:.0f} 秒没有任何进程的消息")
NO_WORKER = Text("no worker is there", "没有进程")
ENDED = Text("{state}; ended: {why}", "{state}；结束原因：{why}")
PROCESS = Text("{state}, process {process}", "{state}，进程 {process}")
NOTHING_RUNS = Text("nothing runs here", "这里没有进程在运行")
ON_SERVER = Text("{crawl} on {server}", "{crawl}，位于 {server}")
OF_ONE = Text("{folder}, of one process", "{folder}，单个进程")
RATE = Text("{n:,} fetched, {rate:.1f} a second", "已抓取 {n:,}，每秒 {rate:.1f}")
RATE_MINUTE = Text("{n:,} fetched, {rate:.1f} a second in the last minute", "已抓取 {n:,}，最近一分钟每秒 {rate:.1f}")
FLEET_QUEUE = Text("{links} of {hosts}, {leased:,} leased", "{links}，来自 {hosts}，{leased:,} 个已租出")
N_LINKS = Text("{n:,} links", "{n:,} 个链接", one="{n} link")
N_HOSTS = Text("{n:,} hosts", "{n:,} 个主机", one="{n} host")
FAILED_REFUSED = Text(
    "{failed:,} failed after all tries, {refused:,} not worth another try",
    "多次尝试后失败 {failed:,}，不必再试 {refused:,}",
)
PUBLISHED = Text("{trainer}; published {times}", "{trainer}；已发布 {times}")
TIMES = Text("{n:,} times", "{n:,} 次", one="{n} time")
NOBODY = Text("none", "无")

HOST_COLUMNS: tuple[Text, ...] = (
    Text("host", "主机"),
    Text(">fetched", ">抓取"),
    Text(">relevant", ">相关"),
    Text(">harvest", ">收获率"),
    Text(">queued", ">待抓取"),
)
WORKER_COLUMNS: tuple[Text, ...] = (
    Text("worker", "进程"),
    Text(">last heard", ">最近消息"),
    Text(">pages", ">网页"),
    Text(">relevant", ">相关"),
    Text(">pages/s", ">页/秒"),
    Text(">in flight", ">抓取中"),
    Text("does", "状态"),
)
AGO = Text("{seconds:.0f} s ago", "{seconds:.0f} 秒前")
DOES: Mapping[str, Text] = {
    "silent": Text("silent", "没有消息"),
    "pauses": Text("pauses", "暂停"),
    "crawls": Text("crawls", "抓取"),
    "dead": Text("dead", "已死"),
}
TRAINS = Text("{does} and trains", "{does}，并训练")
