"""Puts the example topics into the wheel; everything else about the package stands in pyproject.toml.

topics/ and seeds/ stay at the top of the repository, where people look for them, and are copied to focuscrawl/shipped/
in the built package, so that a topic can be named from any directory after an ordinary install.
"""

from __future__ import annotations

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

SHIPPED = ("topics", "seeds")


class BuildWithTopics(build_py):
    """The ordinary build, then the example topics."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:  # the package finds them in the checkout
            return
        for source, target in self._shipped():
            self.mkpath(str(target.parent))
            self.copy_file(str(source), str(target))

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        return [*super().get_outputs(include_bytecode), *(str(target) for _, target in self._shipped())]

    def _shipped(self) -> list[tuple[Path, Path]]:
        root = Path(__file__).resolve().parent
        goal = Path(self.build_lib) / "focuscrawl" / "shipped"
        files = [path for folder in SHIPPED for path in sorted((root / folder).rglob("*")) if path.is_file()]
        return [(path, goal / path.relative_to(root)) for path in files]


setup(cmdclass={"build_py": BuildWithTopics})
