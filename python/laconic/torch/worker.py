# SPDX-License-Identifier: BSD-3-Clause
"""A thread that runs the jobs of a State, in the order in which they are submitted."""
from __future__ import annotations

import queue
import threading
import typing

import torch

from .job import Job

_CLOSE_SECONDS = 5.0


class Worker:
    """Its subclasses run the jobs in _serve().  The thread begins with the first job."""

    CLOSE = object()  # in the queue: the end

    def __init__(self) -> None:
        self._queue: "queue.SimpleQueue[typing.Any]" = queue.SimpleQueue()
        self._thread: typing.Optional[threading.Thread] = None

    def submit(self, job: Job) -> None:
        """Returns at once."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="laconic.torch", daemon=True)
            self._thread.start()
        self._queue.put(job)

    def close(self) -> None:
        """Ends the thread after what was submitted.  Waits for it, but not for ranks that are gone."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._queue.put(self.CLOSE)
            if thread is not threading.current_thread():
                thread.join(_CLOSE_SECONDS)

    def _run(self) -> None:
        with torch.no_grad():
            self._serve()

    def _serve(self) -> None:
        """Takes jobs from the queue until CLOSE."""
        raise NotImplementedError
