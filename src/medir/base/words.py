"""Numbers of things, in words that agree."""

from __future__ import annotations

ROUNDING = 1e-12  # of a mean or a sum


def count(number: int, singular: str, plural: str | None = None) -> str:
    """A number of things.

    >>> count(1, "query", "queries"), count(1200, "result")
    ('1 query', '1,200 results')
    """
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def rounded(value: float, signed: bool = False) -> str:
    """A number for people: three decimals, or fewer where it is large.

    What is no more than the rounding of a sum is 0.

    >>> rounded(0.26266), rounded(-1963.52), rounded(0.0001), rounded(0.25, signed=True)
    ('0.263', '−1,964', '0.0001', '+0.250')
    >>> rounded(-1e-17, signed=True)
    '0.000'
    """
    if abs(value) <= ROUNDING:
        value = 0.0
    size = abs(value)
    decimals = 3 if size < 10 else 1 if size < 1000 else 0
    text = f"{size:,.{decimals}f}"
    if size > 0 and float(text.replace(",", "")) == 0:
        text = f"{size:.1g}" if size >= 1e-4 else f"{size:.0e}"
    sign = "−" if value < 0 else "+" if signed and value > 0 else ""
    return sign + text


def percent(share: float) -> str:
    """A share in percent, never 0% or 100% for what is not all.

    >>> percent(0.5), percent(0.9999), percent(0.0001), percent(1.0)
    ('50%', '99.9%', '0.1%', '100%')
    """
    if 0 < share < 0.01 or 0.99 < share < 1:
        return f"{min(max(share, 0.001), 0.999):.1%}"
    return f"{share:.0%}"


def quoted(value: object, most: int = 100) -> str:
    """A value as an error quotes it: as Python writes it, and not too long.

    >>> quoted("nDCG"), quoted("x" * 1000, most=5)
    ("'nDCG'", "'xxxx...")
    """
    try:
        text = repr(value)
    except ValueError:  # Python writes no number of more than some thousand digits
        return "a number of very many digits"
    return text if len(text) <= most else f"{text[:most]}..."
