"""Functions in files of the user's or the managed folder as handlers.

A module is the file of its name beside the rule file, read and compiled anew when it changed. Nothing is looked up on
the interpreter's path, so that a package that happens to be installed is never taken for it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from threading import Lock
from types import ModuleType
from typing import Any, Final

from ostiary.decision import Decision
from ostiary.digests import sha256
from ostiary.perform.function import called
from ostiary.perform.runtime import Job
from ostiary.tiers import TIER

_LOADING: Final = Lock()


class _Unloadable(Exception):
    """There is no such function; the message says why."""


def perform(job: Job) -> Decision:
    """Loads the function, where that is still to do, and calls it."""
    request = job.request
    if TIER[request.tier].rank > TIER["user"].rank or not request.plan.folder:
        return Decision(failure="only the user's and managed rule files load Python")
    module, _, name = job.options["python"].partition(":")
    path = os.path.join(request.plan.folder, *module.split(".")) + ".py"
    try:
        function = _function(path, name)
    except _Unloadable as error:
        return Decision(failure=str(error))
    return called(function, job)


def _function(path: str, name: str) -> Callable[..., Any]:
    with _LOADING:
        module = _module(path)
    function = getattr(module, name, None)
    if not callable(function):
        raise _Unloadable(f"`{path}` has no function `{name}`")
    return function  # type: ignore[no-any-return]  # whatever the module holds


def _module(path: str) -> ModuleType:
    """The module of a file, as it is now. Raises _Unloadable."""
    try:
        with open(path, "rb") as file:
            source = file.read()
    except OSError as error:
        raise _Unloadable(f"`{path}` cannot be read: {error.strerror}") from None
    name = f"ostiary_handler_{sha256(path.encode()).hexdigest()[:16]}"
    digest = sha256(source).hexdigest()
    known = sys.modules.get(name)
    if known is not None and known.__dict__.get("__digest__") == digest:
        return known
    module = ModuleType(name)
    module.__dict__.update(__file__=path, __digest__=digest)
    sys.modules[name] = module  # classes look for the module that they are made in
    try:
        exec(compile(source, path, "exec", dont_inherit=True), module.__dict__)  # noqa: S102 that is what it is for
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise _Unloadable(f"`{path}` cannot be loaded: {type(error).__name__}: {error}") from None
    return module
