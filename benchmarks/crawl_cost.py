"""CPU time per page of the whole focused crawl, beside plain Scrapy that follows every link.

    python benchmarks/crawl_cost.py --pages 600 --repeats 3

Both crawl the same served pages in the same run, one after the other, again and again, each in a process of its own
whose CPU time is read from the system (getrusage of children: user + system, all threads). The pages are made here:
60 kB with 110 links; ``--web FOLDER --seeds URL,URL --topic FILE`` takes a recorded web instead. Starting up (imports,
dictionaries, fitting the topic) is measured by crawls of few pages and reported apart: the cost of a page is the
difference of the long and the short crawl, divided by the difference of their pages.

On a recorded web the two crawls do not fetch the same pages (the focused one prefers long ones): compare kB/page, too.
Where the topic is one of the web's own, plain Scrapy fetches the very pages that the focused crawl fetched just before,
following the links among them, and the start is counted in both:

    python benchmarks/crawl_cost.py --web FOLDER --topic ctf-security --start portal --pages 1000 --repeats 5

The row `fetch alone` is Scrapy that asks for all the focused crawl asked the server for, dead links among it, and reads
nothing: no crawl over these requests costs less, whatever its page step takes.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from scrapy_process import run_scrapy
from webserver import WebServer

from focuscrawl.lab.simulate.recorded import STARTS, RecordedWeb

ROOT = Path(__file__).resolve().parent.parent
PAGE_BYTES = 60_000  # mean of real pages, and 110 links on them
PAGE_LINKS = 110
HOSTS = 12
SHORT = 20  # pages of the crawls that measure the start
COMMON = {
    "DOWNLOAD_DELAY": "0",
    "AUTOTHROTTLE_ENABLED": "False",
    "CONCURRENT_REQUESTS": "16",
    "CONCURRENT_REQUESTS_PER_DOMAIN": "8",
    "ROBOTSTXT_OBEY": "True",
    "COOKIES_ENABLED": "False",
    "TELNETCONSOLE_ENABLED": "False",
    "REMOTE_CONTROL_ENABLED": "False",
    "LOG_LEVEL": "ERROR",
}
# What a user would otherwise write.
PLAIN_SPIDER = """
import scrapy
from scrapy.linkextractors import LinkExtractor


class Plain(scrapy.Spider):
    name = "plain"
    extractor = LinkExtractor()

    async def start(self):
        for url in self.urls.split(","):
            yield scrapy.Request(url)

    def parse(self, response):
        if not isinstance(response, scrapy.http.HtmlResponse):
            return
        yield {"url": response.url, "title": response.css("title::text").get()}
        for link in self.extractor.extract_links(response):
            yield scrapy.Request(link.url)
"""

# The same over given pages: links to others are extracted, but not followed.
LISTED_SPIDER = PLAIN_SPIDER.replace(
    """        for url in self.urls.split(","):
            yield scrapy.Request(url)
""",
    """        self.listed = frozenset(open(self.pages).read().split())
        for url in self.listed:
            yield scrapy.Request(url)
""",
).replace(
    """            yield scrapy.Request(link.url)
""",
    """            if link.url in self.listed:
                yield scrapy.Request(link.url)
""",
)


# The least that a crawl of given addresses can cost.
FETCHING_SPIDER = """
import scrapy


class Fetching(scrapy.Spider):
    name = "fetching"
    handle_httpstatus_all = True

    async def start(self):
        for url in open(self.pages).read().split():
            yield scrapy.Request(url)

    def parse(self, response):
        pass
"""


@dataclass(frozen=True, slots=True)
class Run:
    """A crawl that was measured."""

    cpu_s: float
    pages: int
    served_bytes: int
    resident_mb: float
    urls: tuple[str, ...] = ()
    relevant: int = 0
    asked: tuple[str, ...] = ()
    """The addresses of all answers but those of robots.txt, whatever their status."""


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=600, help="pages a crawl")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--strategies", default="heuristic", help="of the focused crawl, by commas")
    parser.add_argument("--web", type=Path, help="a recorded web (the folder that holds www/) instead of made pages")
    parser.add_argument("--seeds", default="", help="with --web: URLs by commas")
    parser.add_argument("--topic", help="with --web: a topic file, or without --seeds the name of a topic of the web")
    parser.add_argument("--start", default="portal", choices=STARTS, help="where a topic of the web begins")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="Scrapy setting for both")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if bool(args.web) != bool(args.topic) or (args.seeds and not args.web):
        parser.error("--web and --topic belong together")
    with tempfile.TemporaryDirectory(prefix="focuscrawl-cost-") as folder:
        work = Path(folder)
        if args.web and not args.seeds:
            compare_same_pages(args, work)
            return 0
        if args.web:
            www, seeds, topic = args.web / "www", args.seeds, Path(args.topic).resolve()
        else:
            www, seeds, topic = make_site(work, pages=2 * args.pages)
        (work / "plain.py").write_text(PLAIN_SPIDER)
        settings = COMMON | dict(pair.split("=", 1) for pair in args.set)
        kinds = ["plain", *args.strategies.split(",")]
        runs: dict[str, dict[int, list[Run]]] = {kind: {SHORT: [], args.pages: []} for kind in kinds}
        with WebServer(www) as server:
            for _ in range(args.repeats):
                for pages in (SHORT, args.pages):
                    for kind in kinds:
                        runs[kind][pages].append(crawl(kind, pages, work, server, seeds, topic, settings))
    report(runs, args.pages, as_json=args.json)
    return 0


def compare_same_pages(args: argparse.Namespace, work: Path) -> None:
    """Print the CPU time of focused crawls, each beside plain Scrapy on the pages it fetched."""
    web = RecordedWeb(args.web)
    topic = write_topic(web, args.topic, args.start, work / "topic.toml")
    seeds = ",".join(web.topic(args.topic).starts[args.start])
    (work / "listed.py").write_text(LISTED_SPIDER)
    (work / "fetching.py").write_text(FETCHING_SPIDER)
    settings = COMMON | dict(pair.split("=", 1) for pair in args.set)
    print(f"{'crawl':<14} pages relevant kB/page ms/page RSS, MB  ratio  same pages")
    ratios = []
    with WebServer(args.web / "www") as server:
        for _ in range(args.repeats):
            for kind in args.strategies.split(","):
                focused = crawl(kind, args.pages, work, server, seeds, topic, settings)
                (work / "pages.txt").write_text("\n".join(focused.urls))
                plain = crawl("listed", len(focused.urls), work, server, seeds, topic, settings)
                (work / "pages.txt").write_text("\n".join(focused.asked))
                alone = crawl("fetching", len(focused.urls), work, server, seeds, topic, settings)
                ratio = (focused.cpu_s / focused.pages) / (plain.cpu_s / plain.pages)
                least = (alone.cpu_s / alone.pages) / (plain.cpu_s / plain.pages)
                ratios.append(ratio)
                same = len(set(plain.urls) & set(focused.urls)) / len(focused.urls)
                share = f"{focused.relevant / focused.pages:.0%}"
                for name, run, relevant, last in (
                    (kind, focused, share, f"{ratio:.2f}"),
                    ("plain", plain, "", f"       {100 * same:.0f} %"),
                    ("fetch alone", alone, "", f"{least:.2f}   of {len(focused.asked)} answers"),
                ):
                    size, cost = run.served_bytes / run.pages / 1000, 1000 * run.cpu_s / run.pages
                    figures = f"{run.pages:>5} {relevant:>8} {size:>7.1f} {cost:>7.1f} {run.resident_mb:>7.0f}"
                    print(f"{name:<14} {figures}   {last}", flush=True)
    print(f"median ratio {statistics.median(ratios):.2f}")


def write_topic(web: RecordedWeb, name: str, start: str, path: Path) -> Path:
    """Write a topic of a recorded web as a topic file."""
    topic = web.topic(name)
    quoted = {
        key: json.dumps(value, ensure_ascii=False)
        for key, value in (("title", topic.title), ("language", web.language), ("description", topic.description))
    }
    terms = "".join(f"{json.dumps(word, ensure_ascii=False)} = 1.0\n" for word in topic.keywords)
    path.write_text(
        f"name = {json.dumps(name)}\n"
        + "".join(f"{key} = {value}\n" for key, value in quoted.items())
        + f"seeds = {json.dumps(topic.starts[start])}\n[terms]\n{terms}"
        + f"[samples]\nrelevant_text = {json.dumps(topic.sample_texts, ensure_ascii=False)}\n",
        encoding="utf-8",
    )
    return path


def crawl(
    kind: str, pages: int, work: Path, server: WebServer, seeds: str, topic: Path, settings: dict[str, str]
) -> Run:
    """Run one crawl in a process of its own; the server's log says how many pages it fetched."""
    run = ""
    if kind in ("listed", "fetching"):
        spider = ["runspider", str(work / f"{kind}.py"), "-a", f"pages={work / 'pages.txt'}"]
    elif kind == "plain":
        spider = ["runspider", str(work / "plain.py"), "-a", f"urls={seeds}", "-s", f"CLOSESPIDER_PAGECOUNT={pages}"]
    else:
        run = tempfile.mkdtemp(dir=work)
        spider = ["crawl", "focused", "-a", f"topic={topic}", "-a", f"seeds={seeds}", "-a", f"strategy={kind}"]
        spider += ["-a", f"pages={pages}", "-a", f"run={run}/run"]
    folder = work if kind in ("plain", "listed", "fetching") else ROOT
    server.answers()
    used = run_scrapy(spider, folder=folder, settings=settings, environment={"http_proxy": server.proxy})
    answers = [(code, size, url) for code, size, url in server.answers() if not url.endswith("/robots.txt")]
    sizes = [size for code, size, _ in answers if code == 200]
    urls = tuple(url for code, _, url in answers if code == 200)
    fetched = len(sizes)
    if used.code or not fetched:
        raise SystemExit(f"crawl_cost: the {kind} crawl failed after {fetched} pages:\n{used.said[-2000:]}")
    asked = tuple(dict.fromkeys(url for _, _, url in answers))
    return Run(used.cpu_s, fetched, sum(sizes), used.peak_mb, urls, _relevant(run), asked)


def _relevant(run: str) -> int:
    """Return how many relevant pages a focused crawl stored; plain Scrapy judges none."""
    files = Path(run).glob("run/pages*.jsonl") if run else ()
    return sum(json.loads(line)["relevant"] for file in files for line in file.read_text("utf-8").splitlines())


def report(runs: dict[str, dict[int, list[Run]]], pages: int, *, as_json: bool) -> None:
    """Print the cost of a page and its ratio to plain Scrapy, repeat by repeat."""
    cost = {
        kind: [
            1000 * (long.cpu_s - short.cpu_s) / (long.pages - short.pages)
            for short, long in zip(sizes[SHORT], sizes[pages], strict=True)
        ]
        for kind, sizes in runs.items()
    }
    whole = {kind: [1000 * r.cpu_s / r.pages for r in sizes[pages]] for kind, sizes in runs.items()}
    start = {kind: statistics.median(r.cpu_s for r in sizes[SHORT]) for kind, sizes in runs.items()}
    size = {kind: statistics.mean(r.served_bytes / r.pages for r in sizes[pages]) for kind, sizes in runs.items()}
    memory = {kind: max(r.resident_mb for r in sizes[pages]) for kind, sizes in runs.items()}
    ratios = {k: [c / p for c, p in zip(cost[k], cost["plain"], strict=True)] for k in cost}
    if as_json:
        numbers = {"ms_per_page": cost, "ms_per_page_with_start": whole, "start_s": start, "ratio": ratios}
        print(json.dumps(numbers | {"bytes_per_page": size, "resident_mb": memory}))
        return
    print(
        f"{'crawl':<16} {'ms/page':>8} {'ratio':>6}  {'start, s':>8}  {'ms/page with start':>18}"
        f"  {'kB/page':>7} {'RSS, MB':>7}  ratios of the repeats"
    )
    for kind in cost:
        print(
            f"{kind:<16} {statistics.median(cost[kind]):>8.2f} {statistics.median(ratios[kind]):>6.2f}  "
            f"{start[kind]:>8.2f}  {statistics.median(whole[kind]):>18.2f}  "
            f"{size[kind] / 1000:>7.1f} {memory[kind]:>7.0f}  " + " ".join(f"{ratio:.2f}" for ratio in ratios[kind])
        )


def make_site(work: Path, *, pages: int, hosts: int = HOSTS) -> tuple[Path, str, Path]:
    """Make hosts of `pages` pages in all; return the folder, the seeds, and a topic file that fits some of them."""
    rng = random.Random(20)
    kitchen = ["dough", "oven", "bread", "flour", "onion", "garlic", "simmer", "butter", "crust", "yeast", "recipe"]
    stars = ["comet", "orbit", "telescope", "nebula", "galaxy", "planet", "eclipse", "lunar", "meteor", "stellar"]
    first, last = (
        ("ba", "de", "ki", "lo", "mu", "ra", "se", "to", "vi"),
        ("nder", "lling", "rest", "mple", "ck", "tion"),
    )
    plain = [a + b for a in first for b in last]
    names = [(f"h{n % hosts}.test", f"part{n % 7}/page-{n}.html") for n in range(pages)]
    for number, (host, path) in enumerate(names):
        on_topic = number % 9 == 0
        words = plain + (stars * 6 if on_topic else kitchen * 2)
        targets = [names[rng.randrange(pages)] for _ in range(PAGE_LINKS - 20)]
        menu = [names[(number % hosts + hosts * k) % pages] for k in range(20)]  # the same on each page of a host
        body = _page(rng, f"Page {number}", words, menu, targets)
        file = work / "www" / host / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(body, encoding="utf-8")
    topic = work / "topic.toml"
    sample = " ".join(rng.choice(stars) for _ in range(60))
    terms = "".join(f'"{word}" = 1.0\n' for word in stars[:8])
    topic.write_text(
        f'name = "stars"\nlanguage = "en"\nseeds = ["http://{names[0][0]}/{names[0][1]}"]\n[terms]\n{terms}'
        f'[samples]\nrelevant_text = ["{sample}"]\n'
    )
    return work / "www", f"http://{names[0][0]}/{names[0][1]}", topic


def _page(
    rng: random.Random, title: str, words: list[str], menu: list[tuple[str, str]], targets: list[tuple[str, str]]
) -> str:
    def link(target: tuple[str, str]) -> str:
        anchor = " ".join(rng.choices(words, k=3))
        return f'<a class="entry-link" href="http://{target[0]}/{target[1]}">{anchor}</a>'

    items = "".join(f'<li class="menu-item">{link(t)}</li>' for t in menu)
    paragraphs = []
    size = 0
    for target in targets:
        text = " ".join(rng.choices(words, k=38))
        paragraphs.append(
            f'<div class="post-row"><h3>{title}</h3><p class="text">{text} {link(target)} {text}.</p></div>'
        )
        size += len(paragraphs[-1])
    script = "var settings = {};" * max(0, (PAGE_BYTES - size - len(items) - 600) // 18)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title><script>{script}</script>'
        f'</head><body><nav class="menu"><ul>{items}</ul></nav><main><h1>{title}</h1>{"".join(paragraphs)}</main>'
        f"<footer><p>Footer of the site</p></footer></body></html>"
    )


if __name__ == "__main__":
    sys.exit(main())
