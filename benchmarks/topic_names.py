"""What do pages have that topics with a name of common words take: the name, its words, or one of them?

    python benchmarks/topic_names.py WEB [WEB ...] [--related | --joined | --asked] [--pages 2500] [--seed 1]

WEB is a recorded web; its labels are not used. Of each name below ("machine learning", 机器学习; with `--related`
"music for children", 孩子的教育, with `--joined` "IT security", 元宇宙, with `--asked` what asks for pages on a name)
`focuscrawl topic new` makes a topic file,
without a person's answers, and the judge looks at the same random pages, each by itself. A page that has one word of
the name alone is hardly ever on the subject, so of two ways to make topic files the one that takes fewer of these and
as many with the name is better.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from pathlib import Path

from focuscrawl.cli.topic_maker import Target, make_topic
from focuscrawl.cli.topic_sources import Sources
from focuscrawl.drafting.runs import run_breaks
from focuscrawl.lab.simulate.recorded import RecordedWeb, open_web
from focuscrawl.page.analysis import analyse
from focuscrawl.page.model import PageAnalysis
from focuscrawl.topic.base import PageJudge
from focuscrawl.topic.judges import make_judge
from focuscrawl.topic.model import FittedTopic, fit_topic
from focuscrawl.wording.base import speaker

NAMES = {
    "en": """
        machine learning, electric cars, climate change, mental health, personal finance, home improvement, artificial
        intelligence, public transport, solar power, high school education, open source software, weight loss, data
        science, time management, social media marketing, natural language processing, remote work, world war two, video
        games, black holes, child development, project management, computer security
    """,
    "zh": "机器学习, 新能源汽车, 机械键盘, 个人理财, 深度学习, 时间管理, 自然语言处理, 世界历史, 手机摄影, 研究方法",
}
RELATED = {
    "en": """
        vegetables in your own garden, solar panels for houses, women in politics, safety at work, music for children,
        travelling with children, sport in schools, cooking for students, science in the media, exercise during
        pregnancy, jobs for graduates, food in London, technology in education, religion and politics in America, diet
        for runners, energy from wind, insurance for small businesses, investing in property, living with diabetes,
        painting with watercolours, climate change in Africa, war in films, books about science, theatre for young
        people, housing for students, data in medicine, law for journalists, philosophy of science, cost of living
    """,
    "zh": """
        上海的历史建筑, 学校里的体育教育, 电影中的战争, 大学生的心理健康, 农村的电子商务, 城市里的公共交通,
        家庭中的科学实验, 孩子的教育
    """,
}
JOINED = {
    "en": """
        the Go language, the C language, the R language, IT security, IT jobs, vitamin D, the Great Wall,
        Node.js, Formula 1, Windows 11
    """,
    "zh": """
        元宇宙, 大数据, 云计算, 短视频, 自媒体, 微服务, 物联网, 区块链, 比特币, 新能源车, 充电桩, 预制菜, 明清史,
        中国茶, 日本酒, 猫行为, 狗训练, C语言, X光, 数字经济
    """,
}
ASKED = {
    "en": """
        I'm building a corpus of texts on maritime law | maritime law, Collect articles about coral reefs | coral reefs,
        I need a dataset of recipes from Sichuan | Sichuan, English-language pages on Confucius | Confucius,
        Pages that explain how to brew beer | brew beer, latest research on Alzheimer's disease | Alzheimer's disease,
        academic papers about neural networks | neural networks, crawl everything on permaculture | permaculture,
        texts in English about the tea ceremony | tea ceremony, best practices in Kubernetes security | Kubernetes
    """,
    "zh": """
        我需要关于中国茶文化的语料 | 茶文化, 请抓取与人工智能有关的文章 | 人工智能, 我想收集唐诗的文本 | 唐诗,
        收集有关垃圾分类的资料 | 垃圾分类, 想找一些讲养猫的博客 | 养猫, 与气候变化相关的新闻报道 | 气候变化,
        适合新手的吉他教程 | 吉他, 怎么学好英语口语 | 英语口语
    """,
}
KINDS = ("the name", "all of its words", "some of its words")


def judge_of(name: str, language: str, folder: Path) -> tuple[FittedTopic, PageJudge]:
    """Return the topic that the command makes of a name, and its judge."""
    target = Target(name="topic", out=folder / "topic.toml", force=True, language=language)
    made = make_topic(Sources(about=name), target, dialogue=None, take=12, say=speaker("en"), tell=lambda _text: None)
    assert made is not None  # nobody declined
    topic = fit_topic(made.spec)
    return topic, make_judge(topic, made.spec)


def kind_of(page: PageAnalysis, name: str, topic: FittedTopic, *, whole: bool) -> str:
    """Return what a page has of a name; `whole`: stop words of it count."""
    words = topic.tokenizer.tokens(name.removeprefix("the "))
    telling = [word for word in words if whole or word not in run_breaks(topic.language)]
    found = " ".join(("", *page.title_tokens, *page.tokens, ""))
    if f" {' '.join(words)} " in found or (not name.isascii() and name in found.replace(" ", "")):
        return KINDS[0]
    return KINDS[1] if all(f" {word} " in found for word in telling) else KINDS[2]


def pages_of(web: RecordedWeb, args: argparse.Namespace) -> list[str]:
    """Return random pages of a web."""
    pages = sorted(page for page in web.files.files if page.endswith((".html", ".htm")))
    return random.Random(args.seed).sample(pages, min(args.pages, len(pages)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("web", type=Path, nargs="+")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--related", action="store_true", help="subjects of two words that a preposition relates")
    which.add_argument("--asked", action="store_true", help="sentences that ask for pages")
    which.add_argument("--joined", action="store_true", help="names of which one part is a letter, sign or stop word")
    parser.add_argument("--pages", type=int, default=2500)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    print(f"{'':10s} {'results with':28s}", *(f"{kind:>18s}" for kind in KINDS))
    for path in args.web:
        web = open_web(path)
        subjects = RELATED if args.related else JOINED if args.joined else ASKED if args.asked else NAMES
        sentences = [" ".join(sentence.split()) for sentence in subjects[web.language].split(",")]
        names = {sentence.rpartition(" | ")[2]: sentence.partition(" | ")[0] for sentence in sentences}
        with tempfile.TemporaryDirectory() as folder:
            judges = {name: judge_of(sentence, web.language, Path(folder)) for name, sentence in names.items()}
        found = {name: Counter[str]() for name in names}
        for page in pages_of(web, args):
            kind = web.files.answer(f"http://{page}").content_type or "text/html"
            cut: dict[str, PageAnalysis] = {}
            for name, (topic, judge) in judges.items():
                if topic.tokenizer.name not in cut:
                    body = web.files.read(page)
                    cut[topic.tokenizer.name] = analyse(
                        body, f"http://{page}", content_type=kind, tokenizer=topic.tokenizer
                    )
                analysed = cut[topic.tokenizer.name]
                if judge.judge_again(analysed).relevant:
                    found[name][kind_of(analysed, name, topic, whole=args.joined)] += 1
        for name, counts in found.items():
            print(f"{web.name:10s} {name:28s}", *(f"{counts[kind]:18d}" for kind in KINDS))
        totals = sum(found.values(), Counter[str]())
        print(f"{web.name:10s} {'all':28s}", *(f"{totals[kind]:18d}" for kind in KINDS), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
