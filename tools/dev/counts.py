# SPDX-License-Identifier: BSD-3-Clause
"""What suites count, and what their failing tests say."""
import dataclasses

from .steps import say


@dataclasses.dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    said: tuple = dataclasses.field(default=(), compare=False)  # by failing tests, shortened

    def __add__(self, other):
        return Count(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped, self.said + other.said)

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed" + (f", {self.skipped} skipped" if self.skipped else "")


def shortened(text, most=4000):
    """Both ends: what went wrong first is at the top, the verdict at the bottom."""
    return text if len(text) <= most else f"{text[: most // 2]}\n[...]\n{text[-most // 2 :]}"


def failure(name, said, seconds=None):
    """One failed test. Prints what it said, and keeps it: ./dev test repeats it at its end, where a reader of a long log looks."""
    text = f"==== FAILED {name}\n{shortened(said)}\n====" + ("" if seconds is None else f" after {seconds:.0f} s")
    say("\n" + text)
    return Count(failed=1, said=(text,))
