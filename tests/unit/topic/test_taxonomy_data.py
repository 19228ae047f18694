"""The classes that come with the package: complete, written out, each nearest to its own samples."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

from focuscrawl import plugins
from focuscrawl.text.background import background_idf
from focuscrawl.text.stopwords import stopwords
from focuscrawl.text.vectors import Vector, dot, tf_idf, unit
from focuscrawl.topic.feedback import rocchio
from focuscrawl.topic.taxonomy import ClassSample, Taxonomy, TaxonomyNode, library_classification

ROOT = Path(__file__).parents[3]
LETTERS = library_classification().letters
MIN_CHARS, MAX_CHARS = 250, 600
MIN_WORDS, MAX_WORDS = 120, 250
"""Of a text in English."""
SHINGLES = {"zh": 12, "en": 6}
"""Characters, in English words, in a row; two texts written apart share names and terms, hardly ever so much."""
NEAREST = 3


@cache
def leaves() -> tuple[TaxonomyNode, ...]:
    return tuple(node for node in library_classification().walk() if node.samples)


def texts() -> Iterator[ClassSample]:
    for node in leaves():
        yield from node.samples


OVERVIEW = {
    "A": "A1 A2 A3 A4 A49 A5 A7 A8",
    "B": "B-4 B0 B1 B2 B3 B4 B5 B6 B7 B80 B81 B82 B83 B84 B9",
    "C": "C0 C1 C2 C3 C4 C5 C6 C79 C8 C91 C92 C93 C95 C96 C97",
    "D": "D0 D1 D2 D33/37 D4 D5 D6 D73/77 D8 D9 DF",
    "E": "E0 E1 E2 E3/7 E8 E9 E99",
    "F": "F0 F1 F2 F3 F4 F49 F5 F59 F6 F7 F8",
    "G": "G0 G1 G2 G3 G4 G5 G6 G7 G8",
    "H": "H0 H1 H2 H3 H4 H5 H61 H62 H63 H64 H65 H66 H67 H7 H81 H83 H84 H9",
    "I": "I0 I1 I2 I3/7",
    "J": "J0 J1 J19 J2 J29 J3 J4 J5 J6 J7 J8 J9",
    "K": "K0 K1 K2 K3 K4 K5 K6 K7 K81 K85 K89 K9",
    "N": "N0 N1 N2 N3 N4 N5 N6 N79 N8 N91 N93 N94",
    "O": "O1 O3 O4 O6 O7",
    "P": "P1 P2 P3 P4 P5 P7 P9",
    "Q": "Q-0 Q-1 Q-3 Q-4 Q-9 Q1 Q2 Q3 Q4 Q5 Q6 Q7 Q81 Q91 Q93 Q94 Q95 Q96 Q98",
    "R": "R-0 R-1 R-3 R1 R2 R3 R4 R5 R6 R71 R72 R73 R74 R75 R76 R77 R78 R79 R8 R9",
    "S": "S-0 S-1 S-3 S1 S2 S3 S4 S5 S6 S7 S8 S9",
    "T": "T-0 T-1 T-2 T-6 TB TD TE TF TG TH TJ TK TL TM TN TP TQ TS TU TV",
    "U": "U1 U2 U4 U6",
    "V": "V1 V2 V4",
    "X": "X-0 X-1 X-4 X-6 X1 X2 X3 X4 X5 X7 X8 X9",
    "Z": "Z1 Z2 Z3 Z4 Z5 Z6 Z8",
}
"""The second-level classes of the schedule's overview, without those in square brackets."""


def test_all_first_level_classes_are_there() -> None:
    assert LETTERS == list(OVERVIEW) == list("ABCDEFGHIJKNOPQRSTUVXZ")


@pytest.mark.parametrize("letter", OVERVIEW)
def test_no_class_of_the_overview_is_missing(letter: str) -> None:
    assert set(OVERVIEW[letter].split()) <= {node.code for node in library_classification().node(letter).walk()}


@pytest.mark.parametrize("letter", LETTERS)
def test_every_class_has_names_words_and_texts(letter: str) -> None:
    root = library_classification().node(letter)
    assert root.code == letter
    assert len(root.terms) >= 5
    codes = [node.code for node in root.walk()]
    assert len(codes) == len(set(codes))
    for node in root.walk():
        assert re.search(r"[\u4e00-\u9fff]", node.zh), node.code
        assert re.fullmatch(r"[ -~éü]+", node.en), node.code
        assert all(0.0 < weight <= 1.0 for weight in node.terms.values()), node.code
        forms = [form.lower() for term in node.terms for form in (term, *node.synonyms[term])]
        assert [form for form, count in Counter(forms).items() if count > 1] == [], node.code
        for term, names in node.synonyms.items():
            assert any(re.search("[A-Za-z]", form) for form in (term, *names)), (node.code, term)
        if node.children:
            continue
        assert node.code.startswith(letter)
        assert len(node.terms) >= 6, node.code
        assert len([sample for sample in node.samples if sample.language == "zh"]) >= 2, node.code


def test_the_texts_are_of_the_length_they_should_be() -> None:
    wrong = {}
    for node in leaves():
        for sample in node.samples:
            chinese = sample.language == "zh"
            count = len(re.sub(r"\s", "", sample.text) if chinese else sample.text.split())
            least, most = (MIN_CHARS, MAX_CHARS) if chinese else (MIN_WORDS, MAX_WORDS)
            if not least <= count <= most:
                wrong[sample.name] = count
    assert wrong == {}


def test_no_text_stands_twice_and_none_is_a_variant_of_another() -> None:
    where: defaultdict[str, list[str]] = defaultdict(list)
    for sample in texts():
        units = re.findall(r"\w+" if sample.language == "en" else r"[^\W_]", sample.text.lower())
        size = SHINGLES[sample.language]
        for run in {" ".join(units[at : at + size]) for at in range(len(units) - size + 1)}:
            where[run].append(sample.name)
    shared = Counter(pair for names in where.values() if len(names) > 1 for pair in combinations(names, 2))
    assert {pair: count for pair, count in shared.items() if count > 3} == {}


def test_samples_are_nearest_to_their_own_class() -> None:
    tokenizer = plugins.build("tokenizers", "auto", language="auto", words=[])
    stop_words, background = stopwords("auto"), background_idf("auto")

    def idf(token: str) -> float:
        return 0.0 if token in stop_words else background.idf(token)

    queries: dict[str, Vector] = {}
    vectors: dict[str, Vector] = {}
    for node in leaves():
        query: Vector = {}
        for term, weight in node.terms.items():
            for name in (term, *node.synonyms[term]):
                for token, share in unit(dict.fromkeys(tokenizer.tokens(name), 1.0)).items():
                    query[token] = query.get(token, 0.0) + weight * share * idf(token)
        queries[node.code] = unit(query)
        for sample in node.samples:
            vectors[sample.name] = unit(tf_idf(tokenizer.tokens(sample.text), idf, sublinear=True))

    def without(node: TaxonomyNode, left_out: ClassSample | None = None) -> Vector:
        # An English text has no second one beside it: it is to be known by the English names of the words.
        texts = [vectors[s.name] for s in node.samples if s is not left_out and s.language == "zh"]
        return unit(rocchio(queries[node.code], texts, []))

    # A class is its words and its samples; a sample is compared with its own class as it is without this sample.
    whole = {node.code: without(node) for node in leaves()}
    missed: defaultdict[str, list[str]] = defaultdict(list)
    count = Counter(sample.language for node in leaves() for sample in node.samples)
    for node in leaves():
        for sample in node.samples:
            own = dot(without(node, sample), vectors[sample.name])
            nearer = sum(dot(vector, vectors[sample.name]) > own for code, vector in whole.items() if code != node.code)
            if nearer >= NEAREST:
                missed[sample.language].append(sample.name)
    assert {language: names for language, names in missed.items() if len(names) > 0.1 * count[language]} == {}


def test_alternates_lead_to_a_class() -> None:
    taxonomy = library_classification()
    for letter in LETTERS:
        for code in alternates(taxonomy, letter):
            assert taxonomy.node(code).code != code


def alternates(taxonomy: Taxonomy, letter: str) -> list[str]:
    import tomllib

    return list(tomllib.loads((taxonomy.folder / f"{letter}.toml").read_text("utf-8")).get("alternates", {}))


def test_the_built_package_holds_the_files(tmp_path: Path) -> None:
    # pip builds with the setuptools that pyproject.toml asks for; that of a new environment may be older.
    pytest.importorskip("setuptools", minversion="77")
    project = tmp_path / "project"
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "MANIFEST.in", "topics", "seeds"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        copy(ROOT / name, project / name)
    (project / "focuscrawl").mkdir()
    (project / "focuscrawl" / "__init__.py").touch()
    subprocess.run(
        [sys.executable, "setup.py", "-q", "build_py", "-d", str(tmp_path / "built")],
        cwd=project,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
        check=True,
    )
    built = tmp_path / "built" / "focuscrawl" / "shipped" / "topics"
    assert Taxonomy(built / "clc").letters == LETTERS
    for path in (ROOT / "topics" / "clc").iterdir():
        assert (built / "clc" / path.name).read_bytes() == path.read_bytes()
    assert (built / "tea.toml").is_file()
