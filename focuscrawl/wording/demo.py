"""What ``focuscrawl demo`` shows of its two crawls."""

from __future__ import annotations

from focuscrawl.wording.base import Text

WEB = Text(
    "The sample web: {pages:,} pages on {hosts} hosts and an endless calendar; {n:,} pages are about the topic, tea.",
    "示例网络：{hosts} 个主机上的 {pages:,} 个网页，另有一个没有尽头的日历；其中 {n:,} 个网页与主题“茶”有关。",
)
COLUMNS = (
    Text("crawl", "抓取"),
    Text("strategy", "策略"),
    Text(">pages", ">网页"),
    Text(">relevant", ">相关"),
    Text(">harvest", ">收获率"),
    Text(">about tea", ">与茶有关"),
    Text(">seconds", ">秒"),
)
OF = Text("{found} of {n}", "{n} 个中的 {found}")
REPORT = Text("Report: {file}", "报告：{file}")
WHY = Text("Why a page was fetched: {command}", "某个网页为什么被抓取：{command}")
NO_BROWSER = Text("No browser could be started; open {file} yourself.", "无法启动浏览器，请自行打开 {file}。")
SERVED = Text(
    "The sample web is served until Ctrl-C. In another terminal:", "示例网络正在运行，按 Ctrl-C 结束。在另一个终端里："
)
RESERVED = Text("All its hosts are reserved names: {hosts}.", "它的主机用的都是保留域名：{hosts}。")
