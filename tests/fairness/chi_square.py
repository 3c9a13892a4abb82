"""Chi-square test in plain Python: statistic and survival function."""

import math
from collections.abc import Sequence

LEAST_P, GREATEST_P = 0.001, 0.999
"""A fair source falls outside by chance once in 500 runs; here the seeds are fixed, and so is the outcome."""

PAIR_SUMS = (1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1)
"""In how many of 36 ways two dice give 2 to 12."""

SUMS_WITHOUT_SEVEN = tuple(ways for at, ways in enumerate(PAIR_SUMS, start=2) if at != 7)


def survival(statistic: float, degrees: int) -> float:
    """P(X >= statistic) for chi-square: the upper incomplete gamma function Q(degrees / 2, statistic / 2)."""
    a, x = degrees / 2, statistic / 2
    if x <= 0:
        return 1.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    return 1 - scale * _lower_series(a, x) if x < a + 1 else scale * _upper_fraction(a, x)


def p_value(counts: Sequence[int], weights: Sequence[int]) -> tuple[float, float]:
    """Statistic and p of these counts, when each cell is as likely as its weight."""
    total, parts = sum(counts), sum(weights)
    expected = [total * weight / parts for weight in weights]
    statistic = sum((seen - due) ** 2 / due for seen, due in zip(counts, expected, strict=True))
    return statistic, survival(statistic, len(counts) - 1)


def _lower_series(a: float, x: float) -> float:
    term = total = 1 / a
    n = a
    while term > total * 1e-16:
        n += 1
        term *= x / n
        total += term
    return total


def _upper_fraction(a: float, x: float) -> float:
    """Continued fraction by Lentz's method."""
    tiny = 1e-300
    b = x + 1 - a
    c, d = 1 / tiny, 1 / b
    value = d
    for n in range(1, 10_000):
        factor = -n * (n - a)
        b += 2
        d = 1 / (factor * d + b or tiny)
        c = b + factor / c or tiny
        value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value
