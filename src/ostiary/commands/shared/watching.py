"""The work of an answer in this process, where there can be no child, with threads that watch it."""

from __future__ import annotations

import faulthandler
import os
import threading
import time
from contextlib import suppress

from ostiary.commands.shared.keeper import Job, Limits, Said, Told, failed, late, say


def answer(job: Job, limits: Limits) -> Said:
    """The answer, or what is said instead where the work fails; late work never comes back from here."""
    watch = _Watch(job, limits)
    try:
        return _made(job, watch, limits.start)
    finally:
        watch.insist_first()


def _made(job: Job, watch: _Watch, seconds: float) -> Said:
    try:
        watch.until(seconds)  # raises where there can be no threads either
        return job.work(watch.tell)
    except BaseException as error:
        return job.failing(watch.told, failed(error))


class _Watch:
    """Who may speak, and the threads that do when the time is over."""

    def __init__(self, job: Job, limits: Limits) -> None:
        self.told: Told | None = None
        self._job = job
        self._limits = limits
        self._began = time.monotonic()
        self._speaking = threading.Lock()  # taken once and for all by whoever answers
        self._timers: tuple[threading.Timer, ...] = ()
        self._null = os.open(os.devnull, os.O_WRONLY)

    def tell(self, told: Told) -> None:
        """Takes note of what the work tells."""
        self.told = told._replace(seconds=min(told.seconds, self._limits.most))
        self.until(self.told.seconds)

    def until(self, seconds: float) -> None:
        """Watches until that time after the beginning."""
        self._rest()
        left = max(0, self._began + seconds - time.monotonic())
        further = left + self._limits.failing
        problem = late(seconds)
        self._timers = (
            threading.Timer(left, self._instead, [problem]),
            threading.Timer(further, lambda: self._speak(self._job.last(problem))),
        )
        for timer in self._timers:
            timer.daemon = True
            timer.start()
        # Needs no lock of the interpreter: for work that never lets go of it.
        faulthandler.dump_traceback_later(further + 1, exit=True, file=self._null)

    def insist_first(self) -> None:
        """Ends the watch. Where a thread already speaks, waits for it to end the process."""
        if not self._speaking.acquire(blocking=False):
            threading.Event().wait()
        self._rest()
        os.close(self._null)

    def _rest(self) -> None:
        for timer in self._timers:
            timer.cancel()
        faulthandler.cancel_dump_traceback_later()

    def _instead(self, problem: str) -> None:
        with suppress(BaseException):  # the next timer says what is said then
            self._speak(self._job.failing(self.told, problem))

    def _speak(self, said: Said) -> None:
        if self._speaking.acquire(blocking=False):
            say(said)
