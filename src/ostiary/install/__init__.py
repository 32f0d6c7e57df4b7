"""Registering our hook in an agent's settings file, as functions from text to text."""

from __future__ import annotations

from ostiary.install.files import facts_of, is_ours, plan_plugin, plan_removal, plan_script, scripts
from ostiary.install.plan import (
    Change,
    RegistrationError,
    Service,
    hook_command,
    plan_install,
    plan_uninstall,
    registered,
    registrable,
)

__all__ = [
    "Change",
    "RegistrationError",
    "Service",
    "facts_of",
    "hook_command",
    "is_ours",
    "plan_install",
    "plan_plugin",
    "plan_removal",
    "plan_script",
    "plan_uninstall",
    "registered",
    "registrable",
    "scripts",
]
