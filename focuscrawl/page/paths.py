"""Tag paths of elements, with and without ids and classes (docs/formulas.md A.1, J.9)."""

from __future__ import annotations

from collections.abc import Sequence

from focuscrawl.page.blocks import RawBlock, boilerplate_hint
from focuscrawl.page.tree import Element

Path = tuple[str, ...]
# Longer names and longer lists of classes come from scripts, and tell paths apart that are one.
_ID_CHARS = 64
_CLASSES = 8
_STEP_CHARS = 200
# A page nested a thousand deep has paths of a million steps in all; of these the first and the last say enough.
_MAX_STEPS = 200
# About 1 kB each.
_MAX_NODES = 20_000


class PathNode:
    """A path, and the paths one step longer: equal paths are one object.

    `hint` tells whether names and tags on it say that a block at its end is boilerplate.
    """

    __slots__ = ("hint", "paths", "steps")

    def __init__(self, paths: tuple[Path, Path], *, hint: bool = False) -> None:
        self.paths = paths
        self.hint = hint
        self.steps: dict[tuple[str, str | None, str | None], PathNode] = {}

    def step(self, tag: str, identity: str | None, names: str | None) -> PathNode:
        """Return the path one element longer."""
        key = (tag, identity, names)
        longer = self.steps.get(key)
        if longer is None:
            sign = tag
            if identity and not identity.isspace():
                sign = f"{sign}#{'_'.join(identity.split())[:_ID_CHARS]}"
            if names:
                sign = ".".join([sign, *names.split()[:_CLASSES]])[:_STEP_CHARS]
            path, signature = self.paths
            if len(path) >= _MAX_STEPS:
                path, signature = path[:-1], signature[:-1]
            hint = boilerplate_hint(tag, identity, names, path)
            longer = self.steps[key] = PathNode(((*path, tag), (*signature, sign)), hint=hint)
            _count.nodes += 1
        return longer


class _Count:
    nodes = 0


_count = _Count()
_top = PathNode(((), ()))


def _shared_top() -> PathNode:
    """Return the empty path, from which the paths of all pages grow: pages of one template share theirs."""
    global _top
    if _count.nodes > _MAX_NODES:
        _top = PathNode(((), ()))
        _count.nodes = 0
    return _top


class PathMemo:
    """Paths of the elements of one tree, found from the block they stand in."""

    __slots__ = ("_between", "_blocks", "top")

    def __init__(self, blocks: Sequence[RawBlock]) -> None:
        self._blocks = blocks
        # Two thousand inline elements that nobody closes stand above each of the thousands of elements that follow.
        self._between: dict[Element, PathNode] = {}
        self.top = _shared_top()

    def of(
        self, element: Element, tag: str, identity: str | None, names: str | None, *, block: int, depth: int
    ) -> PathNode:
        """Return the path of `element`.

        `block` is the innermost block above it, -1 for none; `depth` the number of elements from the root to it.
        """
        if block >= 0:
            raw = self._blocks[block]
            node = raw.node
            between = depth - raw.depth - 1
        else:
            node = self.top
            between = depth - 1
        if between:
            known = self._between
            missing = []
            for _ in range(between):
                element = element.getparent()
                found = known.get(element)
                if found is not None:
                    node = found
                    break
                missing.append(element)
            for step in reversed(missing):
                node = known[step] = node.step(step.tag, step.get("id"), step.get("class"))
        return node.step(tag, identity, names)
