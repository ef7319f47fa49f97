"""Format numbers and names, the same way in the terminal and in the report."""

from __future__ import annotations

from mlbench.results.mlagentbench.statistics import Mean
from mlbench.results.prices import NoPrice
from mlbench.results.statistics import BoundedValue, Interval

MEANINGS = {
    "E1": "hallucination",
    "E2": "lack of knowledge",
    "E3": "knowledge manipulation",
    "E4": "syntax",
    "E5": "operational",
}
"""Names of the error classes (ML-Bench, section 5.2). Only agents can have E5."""

NONE = "-"


def printable(text: str) -> str:
    """One line without control characters, safe to print."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def percent(value: float | None) -> str:
    """Format a share as a percentage with one decimal; 0.0 and 100.0 only if it is exactly that."""
    if value is None:
        return NONE
    shown = f"{100 * value:.1f}"
    if shown == "100.0" and value < 1.0:
        return "99.9"
    return "0.1" if shown == "0.0" and value > 0.0 else shown


def p_value(p: float | None) -> str | None:
    """Format the p of a test with three decimals; None if there was no test."""
    return None if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def interval(rate: BoundedValue, dash: str = "-") -> str:
    """Format an interval in whole per cent; a star marks the cluster bootstrap."""
    if rate.low is None or rate.high is None:
        return ""
    star = "*" if rate.interval is Interval.BOOTSTRAP else ""
    return f"{100 * rate.low:.0f}{dash}{100 * rate.high:.0f}{star}"


def change(value: float | None) -> str:
    """Format a relative improvement as a percentage with its sign."""
    if value is None:
        return NONE
    shown = f"{100 * value:+,.1f}"
    return shown if abs(value) < 10 else f"{100 * value:+,.0f}"


def change_between(of: Mean | None, dash: str = "-") -> str:
    """Format the interval of an improvement in whole per cent; empty if nothing was repeated."""
    if of is None or of.low is None or of.high is None:
        return ""
    low, high = (f"{100 * bound:,.0f}" for bound in (of.low, of.high))
    return f"{low}{dash}{high}" if of.low >= 0 else f"{low} to {high}"


def score(value: float | None) -> str:
    """Format a score with four significant digits, or as a whole number from 1,000 on."""
    return NONE if value is None else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def ratio(value: float | None) -> str:
    """Format a position on a problem's scale: 0 is a trivial predictor's, 1 the floor's."""
    return NONE if value is None else f"{value:.2f}"


def count(number: int) -> str:
    return f"{number:,}"


def dollars(cost: float | None) -> str:
    """Format US dollars; a dash if a price is unknown."""
    if cost is None:
        return NONE
    return f"${cost:.2f}" if cost >= 0.01 or cost == 0 else f"${cost:.4f}"


def price(value: float | NoPrice) -> str:
    """Format a cost per solved attempt, or a dash and why there is none."""
    return f"{NONE} ({value.value})" if isinstance(value, NoPrice) else dollars(value)


def mean(value: float | None) -> str:
    """Format a mean or a median: one decimal below 100, none above."""
    return NONE if value is None else f"{value:,.0f}" if value >= 99.95 or value == int(value) else f"{value:.1f}"


def duration(seconds: float) -> str:
    """Format seconds: 8.2 s, 3 min 05 s, 2 h 07 min."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"
