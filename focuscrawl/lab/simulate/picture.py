"""Recall against pages fetched, a panel a start, as a PNG, SVG or PDF (needs matplotlib)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from focuscrawl.errors import ConfigError, InputError
from focuscrawl.lab.simulate.cases import CURVE_POINTS, ORACLE, CaseResult


def draw_curves(results: Sequence[CaseResult], path: Path) -> None:
    """Draw the mean recall curve of every strategy over the share of the budget spent.

    Raises
    ------
    ConfigError
        If matplotlib is not installed, or the file's ending names no format it can write.
    """
    check_picture(path)
    import matplotlib.figure

    curves: dict[str, dict[str, dict[tuple[str, str], list[tuple[float, ...]]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    for r in results:
        curves[r.start][r.strategy][r.web, r.topic].append(r.curve)
    figure = matplotlib.figure.Figure(figsize=(5 * len(curves), 4), layout="constrained")
    axes = figure.subplots(1, len(curves), squeeze=False, sharey=True)[0]
    share = np.arange(CURVE_POINTS + 1)
    for axis, (start, strategies) in zip(axes, curves.items(), strict=True):
        for name, topics in strategies.items():
            line = np.mean([np.mean(np.array(runs), axis=0) for runs in topics.values()], axis=0)
            style = {"color": "0.5", "linestyle": "--"} if name == ORACLE else {}
            axis.plot(share, line, label=name, **style)
        axis.set(title=start, xlabel="budget spent (%)", xlim=(0, CURVE_POINTS), ylim=(0, 1))
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("relevant pages found (share)")
    axes[-1].legend(fontsize="small")
    figure.savefig(path, dpi=120)


def check_picture(path: Path) -> None:
    """Check that a picture can be drawn into this file, as far as its name tells.

    Raises
    ------
    ConfigError
        As `draw_curves`.
    """
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError as error:
        raise InputError("pictures need matplotlib: pip install matplotlib, or leave the picture out") from error
    known = FigureCanvasBase.get_supported_filetypes()
    if path.suffix.lower().removeprefix(".") not in known:
        raise ConfigError(
            f"{path}: cannot be written as a picture; expected a name that ends with .{', .'.join(known)}"
        )
