"""A tiny recorded web: a portal, a chess club with listings and articles, a kitchen site that leads astray."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

CHESS = (
    "The opening gambit gives up a pawn for quick development. White castles early, the rook takes the open file, and "
    "the endgame is decided by the passed pawn. Chess players study such positions for years."
)
KITCHEN = (
    "Knead the dough until it is smooth, let it rise beside the stove, then bake it with onions and cheese. Serve the "
    "bread warm with soup. Any cook can do this on a quiet evening."
)


def page(title: str, text: str, links: Iterable[tuple[str, str]] = (), *, head: str = "") -> str:
    items = "".join(f'<li><a href="{url}">{anchor}</a></li>' for url, anchor in links)
    return (
        f"<!doctype html><html><head><title>{title}</title>{head}</head>"
        f"<body><h1>{title}</h1><p>{text}</p><ul>{items}</ul></body></html>"
    )


# Pages that differ in a number only would be taken for one page under many addresses.
NAMES = ("Anna", "Boris", "Clara", "David", "Edith", "Felix", "Greta", "Henry", "Irene", "Jacob", "Karin", "Louis")


def write_files(root: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        path = root / "www" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def make_web(root: Path, *, articles: int = 6, dishes: int = 12) -> Path:
    """Write a web with `articles` chess pages behind a listing and a tunnel, and `dishes` kitchen pages."""
    files: dict[str, str | bytes] = {
        "portal.test/index.html": page(
            "Sites", "Places to go.", [("http://kitchen.test/", "kitchen"), ("http://club.test/", "club")]
        ),
        "club.test/index.html": page("Club", "Welcome to our club.", [("/about", "about"), ("/archive/", "archive")]),
        "club.test/about.html": page("About", "We meet on Fridays.", [("/", "home"), ("/members", "members")]),
        "club.test/members/index.html": page("Members", "A list.", [("/", "home"), ("/hidden/", "secret")]),
        "club.test/hidden/x.html": page("X", CHESS),
        "club.test/robots.txt": "User-agent: *\nDisallow: /hidden/\n",
        "club.test/feed.xml": "<rss></rss>",
    }
    listing = [(f"/chess/{n}.html", f"chess game {n}") for n in range(articles)]
    files["club.test/archive/index.html"] = page("Archive", "All texts.", [*listing, ("/feed.xml", "feed")])
    for n in range(articles):
        files[f"club.test/chess/{n}.html"] = page(
            f"Chess game {n}",
            f"{CHESS} Game {n}, by {NAMES[n % len(NAMES)]}.",
            [("/archive/", "archive"), ("http://gone.test/", "elsewhere")],
        )
    kitchen = [(f"/dish/{n}", f"dish {n}") for n in range(dishes)]
    files["kitchen.test/index.html"] = page("Kitchen", KITCHEN, kitchen)
    for n in range(dishes):
        files[f"kitchen.test/dish/{n}.html"] = page(
            f"Dish {n}", f"{KITCHEN} Dish {n}, by {NAMES[n % len(NAMES)]}.", [("/", "home")]
        )
    write_files(root, files)
    (root / "world.json").write_text(json.dumps({"name": "tiny", "lang": "en"}))
    (root / "topics").mkdir()
    (root / "qrels").mkdir()
    (root / "topics" / "chess.json").write_text(
        json.dumps(
            {
                "id": "chess",
                "title": "Chess",
                "description": "The game.",
                "keywords": ["chess", "gambit", "endgame"],
                "sample_texts": [CHESS, "A gambit in chess gives a pawn; the endgame shows whether it was worth it."],
                "seeds": ["http://club.test/chess/0.html"],
                "far_seeds": ["http://club.test/"],
                "portal_seeds": ["http://portal.test/"],
            }
        )
    )
    labels = [f"http://club.test/chess/{n}.html\t2" for n in range(articles)]
    (root / "qrels" / "chess.tsv").write_text(
        "\n".join([*labels, "http://club.test/archive/index.html\t1", "http://nowhere.test/\t2"]) + "\n"
    )
    return root
