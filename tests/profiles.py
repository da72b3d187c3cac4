"""How many examples hypothesis generates: a test states its weight, and the profile scales it.

`quick` is for `make quick`, `medir` for every change, `thorough` for a night. Choose one with
MEDIR_PROFILE or `pytest --hypothesis-profile`.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

USUAL = 100  # examples of a test that does not state its weight, in the usual profile
PROFILES = {"quick": USUAL // 10, "medir": USUAL, "thorough": USUAL * 10}

for _name, _count in PROFILES.items():
    settings.register_profile(
        _name,
        max_examples=_count,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


def examples(weight: int) -> settings:
    """So many examples in the usual profile; fewer or more in another, but at least two."""
    return settings(max_examples=max(2, weight * settings().max_examples // USUAL))
