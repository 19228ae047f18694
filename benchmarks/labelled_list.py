"""Write labelled pages as the list that ``focuscrawl train-extractor`` reads.

    python benchmarks/labelled_list.py SETS --out list.jsonl [--sets a,b]

SETS is a folder of sets (``extraction_pages.py`` says of what form). Pages without a full main text are left out.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from extraction_pages import read_sets, site


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--sets", default="")
    given = options.parse_args()
    with given.out.open("w", encoding="utf-8") as out:
        for name, truth in read_sets(given.folder, [name for name in given.sets.split(",") if name]):
            if not isinstance(truth.get("text"), str):
                continue
            file = (given.folder / name / "html" / f"{truth['id']}.html.gz").absolute()
            page = {"id": truth["id"], "file": str(file), "site": site(name, truth), "text": truth["text"]}
            if truth.get("url"):
                page["url"] = truth["url"]
            out.write(json.dumps(page, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
