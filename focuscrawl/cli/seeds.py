"""``focuscrawl seeds``: find seeds by search engines, import them from files and runs, look at those of a topic."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from focuscrawl.cli.console import one_line, print_json, print_line, print_table, warn
from focuscrawl.cli.lazy import HelpGroup
from focuscrawl.cli.options import LangOption, OutsideOption
from focuscrawl.seeding.candidates import Candidate, limited_by_site
from focuscrawl.topic.faults import quoted
from focuscrawl.wording import seeds as wording
from focuscrawl.wording.base import Choice, Say, speaker

if TYPE_CHECKING:
    from focuscrawl.seeding.imports import Imported
    from focuscrawl.seeding.looks import Look
    from focuscrawl.topic.base import PageJudge, TopicModel
    from focuscrawl.topic.spec import TopicSpec

app = typer.Typer(
    cls=HelpGroup,
    name="seeds",
    help="Find seeds, import them, and look at those of a topic.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

TopicArgument = Annotated[str, typer.Argument(metavar="TOPIC", help="Topic file, or the name of a topic.")]
TakeOption = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Take the N best instead of asking which.", show_default=False)
]
OutOption = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FILE", help="Seed list to write; there must be none of the name.")
]
LookOption = Annotated[bool, typer.Option("--look", help="Fetch each candidate and judge its page, too.")]
PrivateOption = Annotated[
    bool, typer.Option("--allow-private", help="Contact addresses that are not public, too, with --look.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Write JSON for programs.")]
_TITLE_CHARS = 48


@app.command()
def find(
    topic: TopicArgument,
    searxng: Annotated[
        str, typer.Option(metavar="ADDRESS", help="SearXNG server to ask, as in http://127.0.0.1:8080.")
    ] = "",
    engines: Annotated[str, typer.Option(metavar="NAMES", help="Public engines by commas; auto: all.")] = "auto",
    candidates: Annotated[int, typer.Option(min=1, metavar="N", help="Candidates to find.")] = 50,
    per_site: Annotated[int, typer.Option(min=1, metavar="N", help="Candidates of one site at most.")] = 3,
    take: TakeOption = None,
    look: LookOption = False,
    out: OutOption = None,
    allow_private: PrivateOption = False,
    allow_outside: OutsideOption = False,
    lang: LangOption = "auto",
    as_json: JsonOption = False,
) -> None:
    """Find seeds by search engines: several queries of the topic's words, merged by rank and judged by the topic."""
    from focuscrawl.seeding.judging import judged
    from focuscrawl.seeding.queries import queries_of
    from focuscrawl.seeding.search import PublicEngines, SearchError, SearxngEngine, metasearch

    if searxng and engines != "auto":
        raise typer.BadParameter("--engines names public engines; a --searxng server is asked with the engines it has")
    say = _speaker(lang, as_json=as_json)
    _check_free(out)
    _check_chosen(out, take, as_json=as_json)
    spec, model, judge = _topic(topic, allow_outside=allow_outside)
    engine = SearxngEngine(searxng) if searxng else PublicEngines(engines)
    queries = queries_of(spec)
    warn(say(wording.ASKING, queries="; ".join(queries)))
    found = metasearch(engine, queries, language=spec.language, most=candidates, per_site=per_site)
    for fault in dict.fromkeys(found.faults):
        warn(fault)
    if not found.candidates:
        raise SearchError(
            "No candidates: no query was answered with results. Is there a network? Other ways: --searxng ADDRESS, or"
            " focuscrawl seeds import FILE with bookmarks or a list."
        )
    chosen = judged(found.candidates, model, judge, say)
    offer = Offer(topic, take=take, look=look, out=out, allow_private=allow_private, as_json=as_json, say=say)
    _offer(chosen, spec, model, judge, offer)


@app.command("import")
def import_(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE_OR_RUN", help="Bookmarks (HTML, JSON), OPML, a sitemap, a list, or a run folder's best hosts."
        ),
    ],
    topic: Annotated[
        str, typer.Option(metavar="TOPIC", help="Topic to judge titles by; without one all are taken as they stand.")
    ] = "",
    per_site: Annotated[int, typer.Option(min=1, metavar="N", help="Seeds of one site at most.")] = 20,
    take: TakeOption = None,
    look: LookOption = False,
    out: OutOption = None,
    allow_private: PrivateOption = False,
    allow_outside: OutsideOption = False,
    lang: LangOption = "auto",
    as_json: JsonOption = False,
) -> None:
    """Make a seed list of bookmarks, OPML, a sitemap, a plain list, or the best hosts of a run."""
    say = _speaker(lang, as_json=as_json)
    _check_free(out)
    if topic:
        _check_chosen(out, take, as_json=as_json)
    found = _imported(source)
    kind, candidates = say.known(wording.KINDS, found.kind), found.candidates
    warn(say(wording.IMPORTED, source=source, kind=kind, n=len(candidates)))
    if found.left_out:
        number, line = found.left_out[0]
        warn(say(wording.LEFT_OUT, source=source, n=len(found.left_out), number=number, line=quoted(line)))
    candidates = limited_by_site(candidates, per_site)
    if not topic:
        if look:
            raise typer.BadParameter("--look judges pages, so it needs --topic TOPIC")
        _finish(candidates[:take] if take else candidates, out=out, as_json=as_json, about=kind, say=say)
        return
    from focuscrawl.seeding.judging import judged

    spec, model, judge = _topic(topic, allow_outside=allow_outside)
    chosen = judged(candidates, model, judge, say)
    offer = Offer(topic, take=take, look=look, out=out, allow_private=allow_private, as_json=as_json, say=say)
    _offer(chosen, spec, model, judge, offer)


@app.command()
def check(
    topic: TopicArgument,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Contact addresses that are not public, too.")
    ] = False,
    allow_outside: OutsideOption = False,
    lang: LangOption = "auto",
    as_json: JsonOption = False,
) -> None:
    """Fetch the seeds of a topic and report which are dead, moved, parked or off the topic; none of it is an error."""
    say = _speaker(lang, as_json=as_json)
    spec, model, judge = _topic(topic, allow_outside=allow_outside)
    urls = spec.seed_urls()
    if not urls:
        print_line(say(wording.NO_SEEDS, topic=spec.name, reference=shlex.quote(topic)))
        return
    looks = _looks(urls, model, judge, allow_private=allow_private, say=say)
    if as_json:
        print_json(
            [{"url": look.url, "state": look.state, "detail": look.detail, "score": look.score} for look in looks]
        )
        return
    print_table(
        (say(wording.STATE), say(wording.SEED), say(wording.DETAIL)),
        [(say.known(wording.STATES, look.state), one_line(look.url), one_line(look.detail)) for look in looks],
    )
    print_line(say(wording.FINE_OF, fine=sum(look.state == "fine" for look in looks), n=len(looks)))


def _speaker(lang: Choice, *, as_json: bool) -> Say:
    """Return the texts of a language; JSON is for programs, and English whatever the locale."""
    return speaker("en" if as_json else lang)


def _topic(reference: str, *, allow_outside: bool) -> tuple[TopicSpec, TopicModel, PageJudge]:
    from focuscrawl.topic.judges import make_judge
    from focuscrawl.topic.model import fit_topic
    from focuscrawl.topic.spec import load_topic

    spec = load_topic(reference, allow_outside=allow_outside)
    model = fit_topic(spec)
    return spec, model, make_judge(model, spec)


def _imported(source: str) -> Imported:
    """Return the candidates of a file or a run in their order."""
    from focuscrawl.seeding.imports import Imported, SeedFileError, read_candidates

    path = Path(source)
    if not path.is_dir():
        return read_candidates(path)
    from focuscrawl.seeding.run_hosts import best_hosts
    from focuscrawl.storage.open_run import open_pages

    with open_pages(source) as run:
        hosts = best_hosts(run.reader)
    if not hosts:
        raise SeedFileError(f"{source}: no host of the run has two or more relevant pages.")
    return Imported("best hosts of a run", hosts)


def _looks(urls: list[str], model: TopicModel, judge: PageJudge, *, allow_private: bool, say: Say) -> list[Look]:
    from focuscrawl.cli.fetch import FetchError, fetch_pages
    from focuscrawl.seeding.looks import DEAD, Look, look_at

    looks = []
    for url, answer in fetch_pages(urls, allow_private=allow_private).items():
        if isinstance(answer, FetchError):
            looks.append(Look(url, DEAD, str(answer).removeprefix(f"{url}: ")))
        else:
            looks.append(look_at(url, answer.url, answer.body, answer.content_type, topic=model, judge=judge, say=say))
    return looks


@dataclass(frozen=True, slots=True)
class Offer:
    """How candidates are offered: options that the commands share."""

    topic: str  # as the user names it
    take: int | None
    look: bool
    out: Path | None
    allow_private: bool
    as_json: bool
    say: Say


def _offer(candidates: list[Candidate], spec: TopicSpec, model: TopicModel, judge: PageJudge, offer: Offer) -> None:
    """Show judged candidates with reasons, let the user choose, and write the seed list."""
    say = offer.say
    if offer.look:
        candidates = _looked_at(candidates, model, judge, offer)
    if offer.take is None and offer.as_json:
        print_json([_row(found) for found in candidates])
        return
    if not offer.as_json:
        heads = (wording.ADDRESS, wording.TITLE, wording.WHY)
        print_table(
            (f">{say(wording.NUMBER)}", f">{say(wording.SCORE)}", *(say(head) for head in heads)),
            [
                (
                    str(number),
                    f"{found.score or 0.0:.2f}",
                    one_line(found.url),
                    one_line(found.title)[:_TITLE_CHARS],
                    one_line(say(wording.FOUND_BY, reason=found.reason, source=_source(found, say))),
                )
                for number, found in enumerate(candidates, start=1)
            ],
        )
    chosen = candidates[: offer.take] if offer.take else _ask(candidates, say)
    about = say(wording.FOR_TOPIC, topic=spec.name)
    _finish(chosen, out=offer.out, as_json=offer.as_json, about=about, topic=offer.topic, say=say)


def _source(found: Candidate, say: Say) -> str:
    return say.stored((wording.BY_SEARCH,), found.source)


def _looked_at(candidates: list[Candidate], model: TopicModel, judge: PageJudge, offer: Offer) -> list[Candidate]:
    """Return the candidates whose page could be had and says something of the topic, best pages first."""
    by_url = {found.url: found for found in candidates}
    kept = []
    say = offer.say
    for seen in _looks(list(by_url), model, judge, allow_private=offer.allow_private, say=say):
        if seen.state in ("fine", "moved"):
            kept.append(replace(by_url[seen.url], score=seen.score, reason=seen.detail))
        else:
            state = say.known(wording.STATES, seen.state)
            warn(say(wording.LOOKED, url=seen.url, state=state, detail=seen.detail))
    return sorted(kept, key=lambda found: -(found.score or 0.0))


def _ask(candidates: list[Candidate], say: Say) -> list[Candidate]:
    """Return the candidates the user names by their numbers."""
    while True:
        answer = typer.prompt(say(wording.TAKE_WHICH), err=True, default="all")
        chosen = chosen_numbers(answer, len(candidates))
        if chosen is not None:
            return [candidates[number - 1] for number in chosen]
        warn(say(wording.NO_SUCH_ANSWER, answer=one_line(answer), most=len(candidates)))


def chosen_numbers(answer: str, most: int) -> list[int] | None:
    """Return the numbers an answer such as 1-5,8 names, each once and in order; None for what is no such answer."""
    text = answer.strip().lower().replace("，", ",").replace("、", ",")
    if text in ("all", "全部"):
        return list(range(1, most + 1))
    if text in ("none", "都不要", ""):
        return []
    chosen: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not (first.isdecimal() and (last.isdecimal() or not dash)):
            return None
        numbers = range(int(first), int(last or first) + 1)
        if not numbers or numbers[0] < 1 or numbers[-1] > most:
            return None
        chosen.update(numbers)
    return sorted(chosen)


def _finish(
    seeds: list[Candidate], *, out: Path | None, as_json: bool, about: str, topic: str = "TOPIC", say: Say
) -> None:
    """Write the seed list to `out`, or to standard output where no file is named."""
    lines = [f"# {say(wording.HEADING, about=about, n=len(seeds))}\n"]
    lines += [f"{found.url}{' # ' + one_line(found.title) if found.title else ''}\n" for found in seeds]
    if out is not None:
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            with out.open("x", encoding="utf-8") as file:
                file.writelines(lines)
        except FileExistsError:
            _check_free(out)  # made meanwhile
            raise
    if as_json:
        print_json([_row(found) for found in seeds])
    elif out is None:
        for line in lines:
            print_line(line.rstrip("\n"))
    else:
        print_line(say(wording.WRITTEN, n=len(seeds), out=shlex.quote(str(out)), topic=shlex.quote(topic)))


def _check_free(out: Path | None) -> None:
    """Refuse a seed list that is there, before anything is searched and anybody asked."""
    if out is not None and out.exists():
        raise typer.BadParameter(f"{out}: is there already; name another file with --out")


def _check_chosen(out: Path | None, take: int | None, *, as_json: bool) -> None:
    """Refuse a seed list that nobody would choose for, before anything is searched.

    With JSON all candidates are shown, and nobody is asked.
    """
    if out is not None and as_json and take is None:
        raise typer.BadParameter("--out with --json: say how many to write, as in --take 20")
    if take is None and not as_json and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise typer.BadParameter("nobody is here to choose: say how many to take, as in --take 20")


def _row(found: Candidate) -> dict[str, Any]:
    return {
        "url": found.url,
        "title": found.title,
        "snippet": found.snippet,
        "source": found.source,
        "score": None if found.score is None else round(found.score, 4),
        "reason": found.reason,
    }
