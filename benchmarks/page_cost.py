"""CPU time of a page's analysis, beside the parse alone and beside Scrapy's LinkExtractor.

    python benchmarks/page_cost.py [--pages 60] [--rounds 7] [FOLDER]

Makes its own pages (about 60 kB and 110 links each, English and Chinese by turns), or takes the HTML files of FOLDER.
All are measured in one run, page by page and by turns, and the least time of each page counts: other work on the
machine then falls on all alike. Ratios hold from machine to machine, milliseconds do not.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from pathlib import Path

from lxml import etree
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

from focuscrawl.page.analysis import analyse
from focuscrawl.text.tokenize import make_tokenizer

Page = tuple[str, bytes]

_ENGLISH_WORDS = (
    "river stone bridge lock keeper boat canal water level winter repair wall valley mill wheel barge rope horse "
    "path field hedge village market coal timber grain cargo season flood gate tunnel hill cutting aqueduct"
)
_CHINESE_WORDS = (
    "运河 石桥 船闸 水位 冬天 修理 村庄 市场 木材 粮食 货物 季节 洪水 隧道 山谷 磨坊 田野 小路 历史 工程 设计 测量 "
    "我们 他们 可以 因为 所以 但是 已经 非常 时候 地方 开始 继续 发现 研究"
)
_ENGLISH, _CHINESE = _ENGLISH_WORDS.split(), _CHINESE_WORDS.split()
_SCRIPT = "<script>window.page = window.page || []; page.push({kind: 'view', at: Date.now(), part: %d});</script>\n"


def made_pages(count: int) -> list[Page]:
    """Return pages of ten sites: navigation that repeats on a site, an article with links, a list of other articles."""
    rng = random.Random(7)
    pages = []
    for number in range(count):
        site, chinese = number % 10, number % 2 == 1
        words, gap, stop = (_CHINESE, "", "。") if chinese else (_ENGLISH, " ", ". ")

        def sentence(words: list[str] = words, gap: str = gap, stop: str = stop) -> str:
            return gap.join(rng.choices(words, k=rng.randint(8, 16))) + stop

        def item(url: str, words: list[str] = words, gap: str = gap) -> str:
            text = gap.join(rng.choices(words, k=3))
            return f'<li class="menu-item level-{rng.randint(1, 3)}"><a class="entry" href="{url}">{text}</a></li>\n'

        menu = random.Random(site)
        navigation = "".join(item(f"/section/{menu.randint(1, 90)}/index.html") for _ in range(40))
        paragraphs = []
        for at in range(18):
            text = "".join(sentence() for _ in range(6))
            one, two = (
                f'<a href="../notes/{rng.randint(1, 9999)}.html" title="{rng.choice(words)}">{rng.choice(words)}</a>'
                for _ in range(2)
            )
            paragraphs.append(f"<p>{text} <b>{rng.choice(words)}</b> {one} {sentence()} {two}</p>\n")
            if at % 9 == 0:
                paragraphs.append(f'<h2 id="part-{at}">{rng.choice(words)}</h2>\n')
        related = "".join(
            f'<div class="teaser"><a href="/archive/{rng.randint(1, 9999)}/"><img src="/thumb/{k}.jpg" '
            f'alt="{rng.choice(words)}"></a><span>{sentence()}</span></div>\n'
            for k in range(34)
        )
        scripts = "".join(_SCRIPT % k for k in range(230))
        body = "".join(paragraphs)
        html = (
            f"<!DOCTYPE html><html lang={'zh' if chinese else 'en'}><head><meta charset=utf-8>"
            f"<title>{sentence()}</title><style>{'.a{color:red}' * 600}</style>{scripts}</head>"
            f"<body><header><div id=logo>Site {site}</div></header><nav><ul>{navigation}</ul></nav><main><article>"
            f"<h1>{rng.choice(words)}</h1>{body}</article>"
            f"<section class=related>{related}</section></main>"
            f"<footer><p>Site {site}, all rights reserved</p></footer></body></html>"
        )
        pages.append((f"http://site{site}.example/part/{number}.html", html.encode()))
    return pages


def folder_pages(folder: Path, count: int) -> list[Page]:
    """Return up to `count` HTML files below `folder`, drawn evenly."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix in ("", ".html", ".htm"))
    pages = []
    for path in random.Random(1).sample(files, min(len(files), 4 * count)):
        body = path.read_bytes()
        if b"<a " in body[:200_000] and len(pages) < count:
            pages.append((f"http://{path.relative_to(folder).as_posix()}", body))
    return pages


def measure(pages: list[Page], ways: dict[str, Callable[[str, bytes], object]], rounds: int) -> dict[str, float]:
    """Return the milliseconds of CPU a page takes in each way."""
    names = list(ways)
    least = {name: [float("inf")] * len(pages) for name in names}
    for turn in range(rounds):
        for number, (url, body) in enumerate(pages):
            for name in names if turn % 2 else reversed(names):
                start = time.process_time()
                made = ways[name](url, body)
                del made  # freeing what was made is part of its cost
                least[name][number] = min(least[name][number], time.process_time() - start)
    return {name: 1000.0 * sum(times) / len(pages) for name, times in least.items()}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", nargs="?", type=Path, help="HTML files to measure instead of made pages")
    options.add_argument("--pages", type=int, default=60)
    options.add_argument("--rounds", type=int, default=7)
    given = options.parse_args()
    pages = folder_pages(given.folder, given.pages) if given.folder else made_pages(given.pages)
    if not pages:
        options.error(f"{given.folder} has no HTML files")
    tokenizer = make_tokenizer()
    extractor = LinkExtractor()

    def parse(_url: str, body: bytes) -> object:
        return etree.fromstring(body, etree.HTMLParser(encoding="utf-8"))

    def scrapy_links(url: str, body: bytes) -> object:
        return extractor.extract_links(HtmlResponse(url, body=body, headers={"Content-Type": "text/html"}))

    def analysis(url: str, body: bytes) -> object:
        return analyse(body, url, tokenizer=tokenizer)

    costs = measure(
        pages, {"lxml parse": parse, "Scrapy LinkExtractor": scrapy_links, "analyse": analysis}, given.rounds
    )
    links = sum(len(analyse(body, url, tokenizer=tokenizer).links) for url, body in pages) / len(pages)
    size = sum(len(body) for _, body in pages) / len(pages)
    print(f"{len(pages)} pages, {size / 1000:.1f} kB and {links:.0f} links on average, CPU time per page:")
    for name, cost in costs.items():
        print(f"  {name:22s}{cost:7.3f} ms {cost / costs['analyse']:7.2f} x analyse")


if __name__ == "__main__":
    main()
