"""The documentation says what is there, and nothing else."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from inspect import signature
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest
from docs_kit import DOCS, PAGES, ROOT, prose, text_of

from focuscrawl import plugins
from focuscrawl.config import FocusConfig
from focuscrawl.crawler.arguments import CrawlArguments
from focuscrawl.crawler.backends import make_frontier
from focuscrawl.ranking.apprentice_options import ApprenticeOptions
from focuscrawl.ranking.base import Ranker
from focuscrawl.scoring.base import LinkScorer
from focuscrawl.topic.model import fit_topic
from focuscrawl.topic.spec import load_topic

SOURCES = [*(ROOT / "focuscrawl").rglob("*.py"), *(ROOT / "benchmarks").glob("*.py"), *(ROOT / "tests").rglob("*.py")]
FILE = re.compile(r"(?<![\w/.-])(?:(?:benchmarks|docs|focuscrawl|tests)/[\w/.-]+\.[a-z]+|test_\w+\.py)\b")
NAME = re.compile(r"(?<![\w/.-])focuscrawl(?:\.\w+)+")
TABLES = {f"focuscrawl.{table}" for table in ("pages", "events", "meta")}  # of PostgreSQL
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as they are made on the web: lower case, hyphens for spaces."""
    found = set()
    for heading in re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE):
        kept = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower())
        found.add(kept.strip().replace(" ", "-"))
    return found


def plug_ins(kind: str) -> list[str]:
    """Return the names of our own plug-ins of a kind: other packages bring documentation of their own."""
    project = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]
    return sorted(project["entry-points"][f"focuscrawl.{kind}"])


def settings() -> set[str]:
    return {f"FOCUSCRAWL_{name.upper()}" for name in FocusConfig.model_fields}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_resolves(page: Path) -> None:
    broken = []
    for target in LINK.findall(prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name) if name else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            broken.append(target)
    assert not broken


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_of_the_project_and_every_name_in_it_that_a_page_tells_is_there(page: Path) -> None:
    tests = {file.name for file in SOURCES}
    files = set(FILE.findall(text_of(page)))
    assert [file for file in files if not (ROOT / file).exists() and file not in tests] == []
    assert [name for name in set(NAME.findall(text_of(page))) - TABLES if not _is_there(name)] == []


def _is_there(name: str) -> bool:
    """Tell whether a dotted name is a group of entry points, a module, or something in one."""
    if name in tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]["entry-points"]:
        return True
    try:
        resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


def test_every_page_that_the_code_names_is_there() -> None:
    named = {(file.name, page) for file in SOURCES for page in re.findall(r"\bdocs/[\w-]+\.md\b", text_of(file))}
    assert len(named) > 30
    assert [one for one in named if not (ROOT / one[1]).exists()] == []


def test_every_page_is_linked_from_the_readme() -> None:
    linked = set(LINK.findall(text_of(ROOT / "README.md")))
    assert {f"docs/{page.name}" for page in DOCS.glob("*.md")} <= linked


def test_every_setting_has_a_heading_and_none_is_left_over() -> None:
    headings = re.findall(r"^### `(FOCUSCRAWL_\w+)`$", text_of(DOCS / "settings.md"), re.MULTILINE)
    assert len(headings) == len(set(headings))
    assert set(headings) == settings()


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "CHANGELOG.md"], ids=lambda page: page.name)
def test_no_page_names_a_setting_that_is_not_there(page: Path) -> None:
    assert set(re.findall(r"FOCUSCRAWL_[A-Z_]*[A-Z]", text_of(page))) <= settings()


@pytest.mark.parametrize(
    ("kind", "page"), [("rankers", "strategies.md"), ("scorers", "strategies.md"), ("judges", "judging.md")]
)
def test_every_plug_in_and_each_of_its_options_is_named(kind: str, page: str) -> None:
    text = text_of(DOCS / page)
    words = {word for code in re.findall(r"`([^`\n]+)`", text) for word in re.findall(r"\w+", code)}
    assert [name for name in plug_ins(kind) if f"`{name}`" not in text] == []
    assert set(plug_ins(kind)) <= set(plugins.names(kind))
    for name in plug_ins(kind):
        parameters = signature(plugins.load(kind, name)).parameters.values()
        options = {one.name for one in parameters if one.kind is one.KEYWORD_ONLY} - {"seed", "weights", "threshold"}
        assert (name, options - words) == (name, set())


def test_a_frontier_of_a_plug_in_gets_what_the_docs_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (named,) = re.findall(r"`focuscrawl\.frontiers` \| `factory\(\*, (.*?)\)`", text_of(DOCS / "architecture.md"))
    made: dict[str, object] = {}
    scope: dict[str, Any] = {"made": made, "__name__": __name__}
    exec(f"def factory(*, {named}):\n    made.update(locals())\n    return made", scope)
    monkeypatch.setattr(plugins, "load", lambda kind, name: scope["factory"])
    make_frontier(FocusConfig(frontier="mine"), {"DOWNLOAD_DELAY": 2}, db=tmp_path / "crawl.db", topic="lamps")
    assert made == {"location": str(tmp_path / "crawl.db"), "max_attempts": FocusConfig().max_attempts, "delay_s": 2.0}


def test_every_package_and_every_hook_of_a_strategy_is_named() -> None:
    text = text_of(DOCS / "architecture.md")
    packages = {file.parent.relative_to(ROOT / "focuscrawl") for file in (ROOT / "focuscrawl").rglob("*.py")}
    assert [str(one) for one in packages if one.name and one.name != "lab" and f"`{one}/`" not in text] == []
    hooks = [name for name, hook in vars(Ranker).items() if callable(hook) and not name.startswith("_")]
    assert [name for name in hooks if f"`{name}`" not in text] == []


def test_every_option_of_the_apprentice_is_named() -> None:
    section = text_of(DOCS / "strategies.md").partition("\n## The apprentice\n")[2].partition("\n## ")[0]
    assert [option.name for option in fields(ApprenticeOptions) if f"`{option.name}`" not in section] == []


def test_the_scorer_that_is_shown_has_all_that_a_crawl_asks_of_one() -> None:
    section = text_of(DOCS / "strategies.md").partition("\n## Writing one\n")[2]
    code = re.search(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    assert code is not None
    names: dict[str, Any] = {}
    exec(code[1], names)
    assert isinstance(names["Shorter"](), LinkScorer)


def test_every_argument_of_a_crawl_is_documented() -> None:
    text = text_of(DOCS / "commands.md")
    assert [name for name in CrawlArguments.__dataclass_fields__ if f"`-a {name}=`" not in text] == []


def test_every_extra_is_documented_and_that_of_the_tests_with_what_it_brings() -> None:
    section = text_of(DOCS / "commands.md").partition("\n## Extras\n")[2]
    extras = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]["optional-dependencies"]
    assert set(re.findall(r"'focuscrawl\[(\w+)\]'", section)) == set(extras)
    (row,) = re.findall(r"^\| `pip install 'focuscrawl\[test\]'` \| (.*) \|$", section, re.MULTILINE)
    assert f"focuscrawl[{','.join(re.findall(r'`(.+?)`', row))}]" == extras["test"][0]


def test_what_is_tested_is_what_the_readme_says() -> None:
    section = text_of(ROOT / "README.md").partition("\n## Test\n")[2]
    command = re.search(r"```sh\n(.+?)\n```", section)
    assert command is not None
    assert command[1] in text_of(ROOT / ".ci" / "run").splitlines()


def test_the_chinese_readme_leads_to_every_page_that_the_english_one_does() -> None:
    english, chinese = (set(LINK.findall(prose(ROOT / name))) for name in ("README.md", "README.zh.md"))
    assert english - chinese == {"README.zh.md", "docs/tutorial.md"}  # each has its own


@pytest.mark.parametrize(("page", "name"), [("tutorial.md", "chess"), ("tutorial.zh.md", "chaye")])
def test_the_topic_of_the_tutorial_is_sound(page: str, name: str, tmp_path: Path) -> None:
    texts = re.findall(r"^```toml\n(.*?)^```$", text_of(DOCS / page), re.MULTILINE | re.DOTALL)
    file = tmp_path / f"{name}.toml"
    file.write_text("\n".join(texts), encoding="utf-8")
    spec = load_topic(str(file))
    assert (spec.name, spec.judge.threshold) == (name, 0.6)
    assert fit_topic(spec).warnings == ()


SECTION = re.compile(r"docs/formulas\.md ([A-Z](?:\.\d+)?)")


def test_every_formula_that_is_cited_is_there() -> None:
    headings = re.findall(r"^##+ (.+)$", text_of(DOCS / "formulas.md"), re.MULTILINE)
    sections = {section for heading in headings for section in re.findall(r"\b[A-Z](?:\.\d+)?\b", heading)}
    sources = [*(ROOT / "focuscrawl").rglob("*.py"), *(ROOT / "tests").rglob("*.py"), *PAGES]
    cited = {section for source in sources for section in SECTION.findall(text_of(source))}
    assert len(cited) > 30
    assert cited <= sections
