"""Registering our hook in an agent's settings file, as functions from text to text."""

from __future__ import annotations

from ostiary.install.plan import (
    Change,
    RegistrationError,
    hook_command,
    plan_install,
    plan_uninstall,
    registered,
    registrable,
)

__all__ = [
    "Change",
    "RegistrationError",
    "hook_command",
    "plan_install",
    "plan_uninstall",
    "registered",
    "registrable",
]
