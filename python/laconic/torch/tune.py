# SPDX-License-Identifier: BSD-3-Clause
"""Whether compression pays: a State measures steps of both kinds, and keeps the faster one."""
from __future__ import annotations

import logging
import statistics
import typing

_LOG = logging.getLogger("laconic")

# Steps before the first measurement: DistributedDataParallel forms its buckets anew after the first one.
WARM_UP = 3
# Pairs of plain and compressed steps: of the first measurement, and of later ones.
FIRST_PAIRS = 4
LATER_PAIRS = 2
# Steps between measurements: the first pause, and the longest; each is twice the one before.
FIRST_PAUSE = 1000
LONGEST_PAUSE = 16000


class Tuner:
    """Decides for whole steps.  All ranks go through the same states, because decisions come from agreed times.

    agree: the element-wise maximum over ranks of a list of numbers; called between steps, by all ranks.
    """

    def __init__(self, enabled: bool, agree: typing.Callable[[typing.List[float]], typing.List[float]],
                 rank: int) -> None:
        self.on = True
        self._enabled = enabled
        self._agree = agree
        self._rank = rank
        self._pause = FIRST_PAUSE
        self._wait = WARM_UP  # steps until the next measurement
        self._trial: typing.List[bool] = []  # the kinds of the steps to measure, last first
        self._times: typing.Dict[bool, typing.List[float]] = {True: [], False: []}
        self._measured: typing.Optional[bool] = None  # the kind of the step under way, if it is measured
        self._told = False

    def begin(self) -> bool:
        """At the beginning of a step: whether it is compressed."""
        self._measured = None
        if not self._enabled:
            return True
        if not self._trial and any(self._times.values()):
            self._decide()
        if not self._trial:
            if self._wait > 0:
                self._wait -= 1
                return self.on
            pairs = LATER_PAIRS if self._told else FIRST_PAIRS
            # In turn plain first and compressed first, so that a machine that becomes slower or faster favours neither.
            self._trial = [kind for k in range(pairs) for kind in ((False, True) if k % 2 else (True, False))][::-1]
        self._measured = self._trial.pop()
        return self._measured

    def end(self, seconds: float) -> None:
        """At the end of a step."""
        if self._measured is not None:
            self._times[self._measured].append(seconds)

    def _decide(self) -> None:
        mine = [statistics.median(self._times[kind]) if self._times[kind] else float("inf") for kind in (False, True)]
        self._times = {True: [], False: []}
        plain, compressed = self._agree(mine)
        was, self.on = self.on, compressed < plain
        self._wait, self._pause = self._pause, min(2 * self._pause, LONGEST_PAUSE)
        if self._rank == 0 and (not self._told or was != self.on):
            self._tell(plain, compressed)
        self._told = True

    def _tell(self, plain: float, compressed: float) -> None:
        times = f"{compressed * 1e3:.1f} ms compressed, {plain * 1e3:.1f} ms plain per step"
        if self.on:
            _LOG.info("laconic.torch: compression is on: %s", times)
        else:
            _LOG.warning("laconic.torch: plain is faster, so compression is off: %s.  It is measured again from time "
                         "to time; tune=False keeps it on", times)
