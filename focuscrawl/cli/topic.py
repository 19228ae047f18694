"""``focuscrawl topic``: make and check topic files, show what one comes to, list those that can be named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from focuscrawl.cli.console import print_facts, print_json, print_line, print_table
from focuscrawl.cli.lazy import HelpGroup
from focuscrawl.cli.options import LangOption, OutsideOption
from focuscrawl.cli.teach import teach
from focuscrawl.cli.topic_classes import class_data, class_facts, list_classes, print_classes
from focuscrawl.cli.topic_new import new
from focuscrawl.errors import TopicError
from focuscrawl.text.normalize import fold
from focuscrawl.topic.choices import sound_choices
from focuscrawl.topic.files import display, topic_files
from focuscrawl.topic.spec import TopicSpec, load_topic
from focuscrawl.topic.taxonomy import is_reference
from focuscrawl.wording import topic_faults as wording
from focuscrawl.wording import topics as shown
from focuscrawl.wording.base import Say, speaker

if TYPE_CHECKING:
    from focuscrawl.topic.model import FittedTopic

app = typer.Typer(
    cls=HelpGroup,
    name="topic",
    help="Make, check, show, list and teach topics.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

JsonOption = Annotated[bool, typer.Option("--json", help="Write JSON for programs.")]
_TERMS_SHOWN = 20


@app.command()
def check(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Topic files, or names of topics.")],
    allow_outside: OutsideOption = False,
    lang: LangOption = "auto",
    as_json: JsonOption = False,
) -> None:
    """Report every fault of topic files, their samples and their seed lists; exit with 1 if there is one."""
    results = [_checked(file, allow_outside=allow_outside) for file in files]
    if as_json:
        print_json(results)
    else:
        for result in results:
            _print_checked(result, speaker(lang))
    if not all(result["ok"] for result in results):
        raise typer.Exit(1)


@app.command()
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A topic file, the name of a topic, or clc:CODE.")],
    terms: Annotated[int, typer.Option(min=1, metavar="N", help="Words of the model to show.")] = _TERMS_SHOWN,
    allow_outside: OutsideOption = False,
    lang: LangOption = "auto",
    as_json: JsonOption = False,
) -> None:
    """Show a topic and the model made of it: its heaviest words and the words related to it."""
    spec = load_topic(name, allow_outside=allow_outside)
    model = _fitted(spec)
    top = model.top_terms(terms)
    related = _related(model, terms)
    if as_json:
        print_json(
            {
                "topic": spec.model_dump(mode="json"),
                "file": display(spec.path) if spec.path else None,
                "digest": spec.digest,
                "class": class_data(spec.classification) if spec.classification else None,
                "breadth": spec.breadth_value,
                "samples": _samples(spec),
                "inherited_samples": _inherited(spec),
                "examples": _listed(spec),
                "seed_urls": spec.seed_urls(),
                "top_terms": [{"term": term, "weight": weight} for term, weight in top],
                "related": [{"word": word, "relatedness": value} for word, value in related],
                "warnings": list(model.warnings),
            }
        )
        return
    say = speaker(lang)
    weight_head = f">{say(shown.WEIGHT)}"
    print_facts(_facts(spec, say))
    print_table(
        (say(shown.TERM), weight_head, say(shown.SYNONYMS)),
        [
            (term, f"{weight:g}", ", ".join(spec.synonyms.get(term, ())))
            for term, weight in sorted(spec.terms.items(), key=lambda item: -item[1])
        ],
    )
    if spec.excluded:
        excluded = [(word, f"{weight:g}") for word, weight in spec.excluded.items()]
        print_table((say(shown.EXCLUDED), weight_head), excluded)
    if spec.examples:
        heads = (shown.ANSWERS, shown.ON_TOPIC, shown.PAGE_TITLE, shown.BY)
        print_table([say(head) for head in heads], _example_rows(spec, say))
    print_table((say(shown.HEAVIEST), weight_head), [(term, f"{weight:.3f}") for term, weight in top])
    print_table((say(shown.RELATED), f">{say(shown.RELATEDNESS)}"), [(word, f"{value:.3f}") for word, value in related])
    for warning in model.warnings:
        print_line(say(shown.WARNING, warning=wording.fault_in_words(warning, say)))


@app.command("list")
def list_topics(
    wanted: Annotated[
        str,
        typer.Argument(metavar="WORD", help='Only what has this word (Chinese or English); "clc:", "clc:R": classes.'),
    ] = "",
    lang: LangOption = "auto",
    as_json: JsonOption = False,
) -> None:
    """List the topics that can be named from here, or browse the classes of the library classification."""
    rows = [] if is_reference(wanted) else _topic_rows(wanted)
    classes = list_classes(wanted) if wanted else []
    if as_json:
        print_json([*rows, *classes])
        return
    say = speaker(lang)
    if rows:
        _print_topics(rows, say)
    if classes:
        print_classes(classes, searched=not is_reference(wanted), say=say)
    if not wanted:
        print_line(say(shown.CLASSES_TOO))
    elif not rows and not classes:
        print_line(say(shown.NONE_FOUND, word=wanted))
        raise typer.Exit(1)


def _topic_rows(wanted: str) -> list[dict[str, object]]:
    """Return the topics whose name, title or terms have `wanted`."""
    rows: list[dict[str, object]] = []
    for path in topic_files():
        row: dict[str, object] = {"name": path.stem, "file": display(path)}
        try:
            spec = load_topic(str(path))
        except TopicError as error:
            if fold(wanted) in fold(path.stem):
                rows.append({**row, "ok": False, "faults": list(error.faults)})
            continue
        if not any(fold(wanted) in fold(text) for text in (path.stem, spec.title, *spec.terms)):
            continue
        rows.append(
            {
                **row,
                "ok": True,
                "title": spec.title,
                "language": spec.language,
                "terms": len(spec.terms),
                "samples": len(spec.samples_loaded()),
                "seeds": len(spec.seed_urls()),
            }
        )
    return rows


def _print_topics(rows: list[dict[str, object]], say: Say) -> None:
    counts = (f">{say(head)}" for head in (shown.TERMS, shown.OF_SAMPLES, shown.OF_SEEDS))
    print_table(
        (say(shown.NAMED), say(shown.PAGE_TITLE), say(shown.IN_LANGUAGE), *counts),
        [
            [str(row[key]) for key in ("name", "title", "language", "terms", "samples", "seeds")]
            if row["ok"]
            else [str(row["name"]), say(shown.UNUSABLE, file=row["file"]), "", "", "", ""]
            for row in rows
        ],
    )


app.command("new")(new)
app.command("teach")(teach)


def _checked(file: str, *, allow_outside: bool) -> dict[str, object]:
    from focuscrawl.crawler.choice_faults import try_choices
    from focuscrawl.topic.strongest import strongest_words

    try:
        spec = load_topic(file, allow_outside=allow_outside)
    except TopicError as error:
        choices = sound_choices(file)
        faults = [*error.faults, *(try_choices(choices).faults if choices is not None else ())]
        return {"file": file, "ok": False, "faults": faults, "warnings": []}
    tried = try_choices(spec)
    model = tried.topic
    if tried.faults or model is None:
        return {"file": file, "ok": False, "faults": tried.faults, "warnings": []}
    warnings = list(model.warnings)
    if not spec.seed_urls():
        warnings.append(wording.NO_SEEDS.en)
    return {
        "file": display(spec.path) if spec.path else file,
        "ok": True,
        "name": spec.name,
        "digest": spec.digest,
        "terms": len(spec.terms),
        "samples": _samples(spec),
        "examples": _examples(spec),
        "seeds": len(spec.seed_urls()),
        "faults": [],
        "warnings": warnings,
        "strongest": strongest_words(spec, model),
    }


def _print_checked(result: dict[str, object], say: Say) -> None:
    file, faults = result["file"], _sentences(result["faults"])
    for fault in faults:
        print_line(wording.fault_in_words(fault, say))
    if result["ok"]:
        terms, seeds = say(wording.TERMS, n=result["terms"]), say(wording.SEEDS, n=result["seeds"])
        print_line(say(wording.OK, file=file, terms=terms, seeds=seeds, digest=result["digest"]))
        print_line(say(wording.STRONGEST, file=file, words=", ".join(_sentences(result["strongest"]))))
        examples = result["examples"]
        if isinstance(examples, dict) and any(examples.values()):
            print_line(say(wording.EXAMPLES, file=file, **examples))
    else:
        print_line(say(wording.FAULTS, file=file, n=len(faults)))
    for warning in _sentences(result["warnings"]):
        print_line(say(wording.WARNING, file=file, warning=wording.fault_in_words(warning, say)))


def _sentences(value: object) -> list[str]:
    return [str(sentence) for sentence in value] if isinstance(value, list) else []


def _samples(spec: TopicSpec) -> dict[str, int]:
    kinds = [sample.kind for sample in spec.samples_loaded()]
    return {kind: kinds.count(kind) for kind in ("relevant", "irrelevant")}


def _examples(spec: TopicSpec) -> dict[str, int]:
    """Return how many taught answers there are of each kind."""
    relevant = sum(example.relevant for example in spec.examples)
    return {"relevant": relevant, "irrelevant": len(spec.examples) - relevant}


def _listed(spec: TopicSpec) -> list[dict[str, object]]:
    return [one.model_dump(mode="json", exclude={"text"}, exclude_defaults=True) for one in spec.examples]


def _example_rows(spec: TopicSpec, say: Say) -> list[tuple[str, str, str, str]]:
    return [
        (example.url, say(shown.YES if example.relevant else shown.NO), example.title, example.by or say(shown.YOU))
        for example in sorted(spec.examples, key=lambda example: (not example.relevant, example.url))
    ]


def _inherited(spec: TopicSpec) -> list[str]:
    """Return the names of the samples that come from the taxonomy."""
    return [sample.name for sample in spec.samples_loaded() if sample.name]


def _facts(spec: TopicSpec, say: Say) -> list[tuple[str, str]]:
    budget = spec.budget
    limits = [
        say(limit, n=value)
        for value, limit in (
            (budget.pages, shown.PAGES),
            (budget.minutes, shown.MINUTES),
            (budget.relevant, shown.RELEVANT),
        )
        if value
    ]
    inherited = ", ".join(_inherited(spec))
    samples = say(shown.KINDS, **_samples(spec)) + (say(shown.OF_CLASS, names=inherited) if inherited else "")
    facts = [
        (shown.NAME, spec.name),
        (shown.TITLE, spec.title),
        (shown.LANGUAGE, spec.language),
        (shown.ABOUT, spec.description),
        *(class_facts(spec.classification) if spec.classification else ()),
        (shown.BREADTH, say(shown.HOW_BROAD, value=spec.breadth_value)),
        (shown.FILE, display(spec.path) if spec.path else ""),
        (shown.DIGEST, spec.digest),
        (shown.SAMPLES, samples),
        (shown.EXAMPLES, say(shown.KINDS, **_examples(spec)) if spec.examples else ""),
        (shown.SEEDS, str(len(spec.seed_urls()))),
        (shown.JUDGE, say(shown.THRESHOLD, name=spec.judge.name, threshold=spec.judge.threshold)),
        (shown.STRATEGY, spec.ranking.strategy or say(shown.DEFAULT)),
        (shown.BUDGET, ", ".join(limits) or say(shown.NO_LIMIT)),
    ]
    return [(say(name), value) for name, value in facts if value]


def _fitted(spec: TopicSpec) -> FittedTopic:
    from focuscrawl.topic.model import fit_topic  # numpy and the word lists: 0.5 s that --help need not wait for

    return fit_topic(spec)


def _related(model: FittedTopic, count: int) -> list[tuple[str, float]]:
    """Return the words nearest to the topic that are not its own."""
    learned = [(word, value) for word, value in model.related.items() if value < 1.0]
    return sorted(learned, key=lambda item: (-item[1], item[0]))[:count]
