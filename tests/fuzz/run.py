"""Fuzzing of the readers of what strangers write.

    python tests/fuzz/run.py page --minutes 10
    python tests/fuzz/run.py url --minutes 10 --engine atheris

Engines: *mutation* changes honest examples and needs nothing else; *hypothesis* draws inputs and makes what fails
small; *atheris* (``pip install atheris``) looks for inputs that reach new code. An input fails when it raises, breaks
what must hold of the result, or takes more than `SECONDS` of CPU. Minutes are of CPU, so that a busy machine fuzzes as
much as a free one (of the clock for atheris). What fails is written to the folder of findings; put it into
``tests/fuzz/findings`` with the mending, and `test_fuzz` keeps it from coming back.
"""

from __future__ import annotations

import argparse
import hashlib
import logging
import random
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from cpu_kit import TooMuchCpu, cpu_limit

from fuzz.mutations import examples, mutated, tokens
from fuzz.targets import TARGETS

SECONDS = 5.0
"""Of CPU an input may take: a page of 200 kB takes a tenth of a second."""
_SMALLER = 300  # tries to make an input smaller


class Findings:
    """Inputs that failed, one for each place in the code."""

    def __init__(self, target: str, folder: Path) -> None:
        self.target = target
        self.folder = folder
        self.seen: set[str] = set()

    def check(self, data: bytes) -> None:
        """Run the target on an input; write down what fails where nothing has failed before."""
        where = fault(self.target, data)
        if not where or where in self.seen:
            return
        self.seen.add(where)
        small = smaller(self.target, data, where)
        name = f"{self.target}-{hashlib.sha256(small).hexdigest()[:12]}"
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_bytes(small)
        print(f"{name} ({len(small)} bytes): {where}", flush=True)


def fault(target: str, data: bytes) -> str:
    """Return what an input makes go wrong and where, '' for nothing."""
    try:
        with cpu_limit(SECONDS):
            TARGETS[target](data)
    except TooMuchCpu:
        return "takes too long"
    except Exception as error:
        own = [frame for frame in traceback.extract_tb(error.__traceback__) if "focuscrawl" in frame.filename]
        frame = own[-1] if own else traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}: {str(error)[:100]!r}"
    return ""


def smaller(target: str, data: bytes, where: str) -> bytes:
    """Return the least part of an input that is found to fail at the same place."""
    kind = where.partition(": '")[0]
    size, tries = max(1, len(data) // 2), 0
    while size and tries < _SMALLER and where != "takes too long":
        at, shrunk = 0, False
        while at < len(data) and tries < _SMALLER:
            part = data[:at] + data[at + size :]
            tries += 1
            if fault(target, part).startswith(kind):
                data, shrunk = part, True
            else:
                at += size
        size = size if shrunk else size // 2
    return data


def mutation(target: str, end: float, seed: int, check: Callable[[bytes], None]) -> int:
    """Run on changed examples until the process has used `end` seconds of CPU; return how many."""
    draw, corpus, count = random.Random(seed), examples(target), 0
    while time.process_time() < end:
        check(mutated(draw, target, corpus))
        count += 1
    return count


def drawn(target: str, end: float, seed: int, check: Callable[[bytes], None]) -> int:
    """Run on what hypothesis draws until the process has used `end` seconds of CPU; return how many."""
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded
    from hypothesis import strategies as st

    piece = st.sampled_from(tokens(target)) | st.text(max_size=8).map(lambda text: text.encode("utf-8", "replace"))
    inputs = st.tuples(st.binary(max_size=1), st.lists(piece | st.binary(max_size=4), max_size=60))
    count = 0

    @given(inputs)
    @settings(
        max_examples=1000,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def one_round(made: tuple[bytes, list[bytes]]) -> None:
        nonlocal count
        count += 1
        check(made[0] + b"".join(made[1]))

    while time.process_time() < end:
        seeded(seed)(one_round)()
        seed += 1
    return count


def guided(target: str, minutes: float, seed: int, check: Callable[[bytes], None]) -> None:
    """Run on what atheris makes to reach new code; it ends the process."""
    import atheris  # type: ignore[import-not-found]

    corpus = Path(tempfile.mkdtemp(prefix=f"fuzz-{target}-"))
    for number, data in enumerate(examples(target)):
        (corpus / str(number)).write_bytes(data)
    arguments = [f"-max_total_time={round(minutes * 60)}", f"-seed={seed}", "-max_len=20000", "-print_final_stats=1"]
    atheris.instrument_all()
    atheris.Setup([sys.argv[0], *arguments, "-verbosity=0", "-timeout=60", str(corpus)], check)
    atheris.Fuzz()


def main() -> None:
    """Read the command line and fuzz."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", choices=list(TARGETS))
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--engine", choices=["mutation", "hypothesis", "atheris"], default="mutation")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--findings", type=Path, default=Path("fuzz-findings"))
    given = parser.parse_args()
    logging.disable(logging.CRITICAL)
    findings = Findings(given.target, given.findings)
    if given.engine == "atheris":
        guided(given.target, given.minutes, given.seed, findings.check)
        return
    engine = mutation if given.engine == "mutation" else drawn
    count = engine(given.target, time.process_time() + 60 * given.minutes, given.seed, findings.check)
    print(f"{given.target}: {count:,} inputs by {given.engine}, {len(findings.seen)} findings", flush=True)


if __name__ == "__main__":
    main()
