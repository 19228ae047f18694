"""Tag paths of elements, with and without ids and classes (algorithms A.1, J.9)."""

from __future__ import annotations

from collections.abc import Sequence

from focuscrawl.page.blocks import RawBlock
from focuscrawl.page.tree import Element

Path = tuple[str, ...]
# Longer names and longer lists of classes come from scripts, and tell paths apart that are one.
_ID_CHARS = 64
_CLASSES = 8
_STEP_CHARS = 200
# About 1 kB each.
_MAX_NODES = 20_000


class PathNode:
    """A path, and the paths one step longer: equal paths are one object."""

    __slots__ = ("paths", "steps")

    def __init__(self, paths: tuple[Path, Path]) -> None:
        self.paths = paths
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
            longer = self.steps[key] = PathNode(((*path, tag), (*signature, sign)))
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
    """Paths of the elements of one tree, found through the blocks met so far; what elements share is made once."""

    __slots__ = ("_blocks", "_known", "_top")

    def __init__(self, blocks: Sequence[RawBlock]) -> None:
        self._blocks = blocks
        self._known: dict[Element, PathNode] = {}
        self._top = _shared_top()

    def of(self, element: Element, tag: str, identity: str | None, names: str | None, block: int) -> tuple[Path, Path]:
        """Return the tag names from the root to `element`, plain and with ``#id`` and ``.class``.

        `block` is the innermost block above the element, -1 for none.
        """
        parent = element.getparent()
        if parent is None:
            node = self._top
        else:
            # Most links stand in the block itself.
            raw = self._blocks[block] if block >= 0 else None
            known = raw.node if raw is not None and raw.element is parent else None
            node = known or self._node(parent, block)
        return node.step(tag, identity, names).paths

    def _node(self, element: Element, block: int) -> PathNode:
        blocks, known = self._blocks, self._known
        missing: list[tuple[Element, RawBlock | None]] = []
        node: PathNode | None
        while True:
            raw = blocks[block] if block >= 0 else None
            if raw is not None and raw.element is element:
                node = raw.node
                block = raw.parent
            else:
                raw = None
                node = known.get(element)
            if node is not None:
                break
            missing.append((element, raw))
            element = element.getparent()
            if element is None:
                node = self._top
                break
        for element, raw in reversed(missing):
            if raw is not None:
                identity = names = None
                for name, value in raw.attributes:
                    if name == "id":
                        identity = value
                    elif name == "class":
                        names = value
                node = raw.node = node.step(raw.tag, identity, names)
            else:
                node = known[element] = node.step(element.tag, element.get("id"), element.get("class"))
        return node
