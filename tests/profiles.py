"""How many examples hypothesis generates: a test states its weight, and the profile scales it.

`quick` is for `make quick`, `medir` for every change, `full` for `.ci/run`, `thorough` for a night.
Choose one with MEDIR_PROFILE or `pytest --hypothesis-profile`.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

FULL = 100  # percent: a test generates as many examples as its weight says
PROFILES = {"quick": 5, "medir": 50, "full": 100, "thorough": 500}  # percent

for _name, _percent in PROFILES.items():
    settings.register_profile(
        _name,
        max_examples=_percent,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


def examples(weight: int) -> settings:
    """So many examples, scaled by the profile; at least two. Without a weight, it is 100."""
    return settings(max_examples=max(2, weight * settings().max_examples // FULL))
