"""The test of the test: answers counted as given 200 records too early must come out as violations, of every kind of fact."""

import math

from disk import JOURNAL, STRICT
from images import Cut
from replay import chance

EARLY = 200
# The kind that is reported, by the kind of the history and the step that is moved.
KINDS = {
    "refresh": ("refresh", "refresh"), "code": ("refresh", "redeem"), "revocation": ("refresh", "revoke"),
    "consent": ("consent", "use"), "pin consent": ("pin consent", "verify"), "pin": ("pin", "wrong"),
    "failures": ("failures", "wrong"), "account": ("account", "create"), "backup": ("backup", "backup"),
    "keys": ("keys", "rotate"), "checkpoints": ("checkpoints", "stop"), "first start": ("first start", "start"),
    "restore": ("restore", "restore"),
}  # fmt: skip


class Unproved(Exception):
    """The harness did not find what it must find: its other results are worth nothing."""


def move(stage, by):
    for history in stage.ledger:
        for step in history.steps:
            step.moment += by
    stage.eras = [(begins + by, ends + by) if number else (0, 0) for number, (begins, ends) in enumerate(stage.eras)]


def cuts(stage, kind, count, seed):
    """Cuts before something of that kind was even asked for, which count as after its answer."""
    name, what = KINDS[kind]
    coins = chance(seed, "proof", kind)
    # Right before it was asked for, so that only this is missing, where that is not too early even for this count.
    places = [
        (number, int(max(step.moment, step.begins)))
        for number, history in enumerate(stage.ledger) if history.kind == name
        for step in history.steps if step.what == what and 0 < step.moment < math.inf
    ]  # fmt: skip
    return [
        Cut(place, "none", coins.choice((STRICT, JOURNAL)), seed, focus=number)
        for number, place in coins.sample(places, min(count, len(places)))
    ]


def prove(images, seed):
    """Runs the proof; returns for each kind how many violations were found."""
    stage, missing = images.stage, set(KINDS)
    found = dict.fromkeys(KINDS, 0)
    move(stage, -EARLY)
    try:
        for count in (1, 3, 12):
            planned = [cut for kind in sorted(missing) for cut in cuts(stage, kind, count, seed + count)]
            for _, kind, _, _ in images.run(sorted(planned, key=lambda cut: cut.sequence)):
                if kind in found:
                    found[kind] += 1
            missing = {kind for kind in KINDS if not found[kind]}
            if not missing:
                break
    finally:
        move(stage, EARLY)
    if missing:
        raise Unproved(f"answers counted {EARLY} records too early, and no violation of: {', '.join(sorted(missing))}")
    return found
