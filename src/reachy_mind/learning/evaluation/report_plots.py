"""`curves_svg`: curves with their confidence intervals, as SVG for a page. Needs the extra `plots`."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

from reachy_mind.errors import MissingExtra
from reachy_mind.learning.evaluation.statistics import Estimate

Curve = Sequence[tuple[float, Estimate]]
COLOURS = ("#3468c0", "#d9782d", "#2e8b57", "#8b5fbf", "#b5473c")
SIZE = (6.4, 3.0)


def curves_svg(curves: Mapping[str, Curve], across: str, *, logarithmic: bool = False) -> str:
    """Shares from 0 to 100 %, a line for each curve and a band for its interval."""
    try:
        from matplotlib import rc_context  # noqa: PLC0415 -- heavy, and only here
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtra("a report with plots", "plots") from error
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "report"}):
        figure = Figure(figsize=SIZE, layout="constrained")
        axes = figure.subplots()
        for (label, curve), colour in zip(curves.items(), COLOURS * len(curves), strict=False):
            places = [place for place, _ in curve]
            axes.plot(places, [100 * each.value for _, each in curve], color=colour, label=label, marker=".")
            low, high = ([100 * getattr(each, side) for _, each in curve] for side in ("low", "high"))
            axes.fill_between(places, low, high, color=colour, alpha=0.2, linewidth=0)
        if logarithmic:
            axes.set_xscale("log")
            ticks = sorted({place for curve in curves.values() for place, _ in curve})
            axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
            axes.minorticks_off()
        axes.set(xlabel=across, ylabel="success, %", ylim=(-3, 103))
        axes.grid(alpha=0.3)
        if len(curves) > 1:
            axes.legend(frameon=False, fontsize="small")
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None})
    drawn = file.getvalue()
    return drawn[drawn.index("<svg") :]
