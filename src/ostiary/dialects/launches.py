"""How agents are started, and what about that leaves our hook out or the agent's own questions unasked.

Not part of a dialect, since no hook needs it: `tools/compile_guard.py` makes rules of it, and the verbs that only
people use look for the processes. Facts are from the programs' own help and pages; an option that a version does not
have costs nothing here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from ostiary.dialects.base import NOTHING
from ostiary.expressions import expression
from ostiary.records import NamedTuple


class Launch(NamedTuple):
    """One agent's programs. `processes` are the base names of its processes, `packages` the packages whose code such a
    process runs, as they stand in paths, `applications` the folders of macOS that hold it. `marks` are variables that
    it sets for the commands it runs.

    `loose` are options that start it without hooks, with other settings or without its questions: any value where the
    text is empty, else one that fits it. `homes` are variables that give it other settings. `prompts` are the
    subcommands (words) and options (`-x`) that start a run of its own, without a person. `settings` are files below the
    user's home or a project, besides those that register hooks, that can switch hooks off.
    """

    processes: tuple[str, ...]
    packages: tuple[str, ...] = ()
    applications: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    loose: Mapping[str, str] = NOTHING
    homes: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()


LOOSE: Final = (
    "--yolo",
    "--dangerously-skip-permissions",
    "--dangerously-allow-all",
    "--skip-permissions-unsafe",
    "--allow-all",
    "--allow-all-tools",
    "--trust-all-tools",
    "--always-approve",
    "--no-hooks",
    "--disable-hooks",
)
"""Options that mean so in every agent that has them."""

HOMES: Final = ("HOME", "USERPROFILE", "APPDATA", "XDG_CONFIG_HOME", "NODE_OPTIONS", "BUN_OPTIONS", "LD_PRELOAD")
"""Variables that give any agent another home, or other code."""

_EDITOR: Final = {"--user-data-dir": "", "--extensions-dir": "", "--disable-extensions": "", "--profile": ""}

LAUNCHES: Final[Mapping[str, Launch]] = {
    "claude-code": Launch(
        processes=("claude",),
        packages=("@anthropic-ai/claude-code",),
        marks=("CLAUDECODE",),
        loose={
            "--allow-dangerously-skip-permissions": "",
            "--bare": "",
            "--safe-mode": "",
            "--settings": "",
            "--setting-sources": "",
            "--permission-mode": "/bypass|dontAsk|auto/",
            "--permission-prompt-tool": "",
            "--plugin-dir": "",
        },
        homes=("CLAUDE_CONFIG_DIR", "CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_MANAGED_SETTINGS_PATH"),
        prompts=("-p", "--print"),
        settings=(".claude.json",),
    ),
    "codex": Launch(
        processes=("codex",),
        packages=("@openai/codex",),
        marks=("CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"),
        loose={
            "--dangerously-bypass-approvals-and-sandbox": "",
            "--dangerously-bypass-hook-trust": "",
            "-c": "/^(?!model(_reasoning_(effort|summary)|_verbosity)?=)[\\w.-]+=/",
            "--config": "/^(?!model(_reasoning_(effort|summary)|_verbosity)?=)[\\w.-]+=/",
            "--profile": "",
            "--disable": "",
            "--sandbox": "danger-full-access",
            "-s": "danger-full-access",
            "--ask-for-approval": "never",
            "-a": "never",
        },
        homes=("CODEX_HOME",),
        prompts=("exec", "e", "review", "mcp-server", "app-server"),
        settings=(".codex/config.toml",),
    ),
    "cursor": Launch(
        processes=("cursor-agent", "cursor"),
        applications=("Cursor.app",),
        marks=("CURSOR_AGENT",),
        loose={"-f": "", "--force": "", **_EDITOR},
        homes=("CURSOR_CONFIG_DIR",),
        prompts=("-p", "--print"),
        settings=(".cursor/cli-config.json", ".cursor/cli.json"),
    ),
    "gemini-cli": Launch(
        processes=("gemini",),
        packages=("@google/gemini-cli",),
        marks=("GEMINI_CLI",),
        loose={"-y": "", "--approval-mode": "/yolo|auto/", "--allowed-tools": ""},
        homes=(
            "GEMINI_CLI_HOME",
            "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
            "GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
            "GEMINI_CLI_TRUSTED_FOLDERS_PATH",
        ),
        prompts=("-p", "--prompt"),
        settings=(".gemini/trustedFolders.json",),
    ),
    "qwen-code": Launch(
        processes=("qwen",),
        packages=("@qwen-code/qwen-code",),
        marks=("QWEN_CODE",),
        loose={"-y": "", "--approval-mode": "/yolo|auto/", "--allowed-tools": ""},
        homes=("QWEN_HOME", "QWEN_CODE_SYSTEM_SETTINGS_PATH", "QWEN_CODE_SYSTEM_DEFAULTS_PATH"),
        prompts=("-p", "--prompt"),
        settings=(".qwen/trustedFolders.json",),
    ),
    "opencode": Launch(
        processes=("opencode",),
        packages=("opencode-ai",),
        marks=("OPENCODE",),
        loose={"--pure": ""},
        homes=(
            "OPENCODE_CONFIG",
            "OPENCODE_CONFIG_DIR",
            "OPENCODE_CONFIG_CONTENT",
            "OPENCODE_PERMISSION",
            "OPENCODE_PURE",
        ),
        prompts=("run", "serve"),
        settings=(".config/opencode/opencode.json", "opencode.json", ".opencode/opencode.json"),
    ),
    "pi": Launch(
        processes=("pi",),
        packages=("@mariozechner/pi-coding-agent",),
        loose={"--no-extensions": "", "-ne": ""},
        homes=("PI_CODING_AGENT_DIR",),
        prompts=("-p", "--print"),
        settings=(".pi/agent/settings.json", ".pi/settings.json"),
    ),
    "cline": Launch(
        processes=("cline",),
        loose={"-y": "", "--config": ""},
        homes=("CLINE_DIR",),
        prompts=("task",),
    ),
    "amp": Launch(
        processes=("amp",),
        packages=("@sourcegraph/amp",),
        loose={"--settings-file": ""},
        homes=("AMP_SETTINGS_FILE", "PLUGINS"),
        prompts=("-x", "--execute"),
        settings=(".config/amp/settings.json", ".amp/settings.json"),
    ),
    "grok": Launch(
        processes=("grok",), homes=("GROK_HOME",), prompts=("-p", "--print"), settings=(".grok/config.toml",)
    ),
    "zcode": Launch(processes=("zcode",), homes=("ZCODE_HOME",), prompts=("-p", "--print")),
    "afk": Launch(processes=("afk",), homes=("AFK_HOME",), settings=(".afk/config.json",)),
    "copilot-cli": Launch(
        processes=("copilot",),
        packages=("@github/copilot",),
        marks=("COPILOT_CLI",),
        loose={"--allow-tool": "", "--allow-all-paths": "", "--config-dir": "", "--autopilot": ""},
        homes=("COPILOT_HOME", "COPILOT_ALLOW_ALL"),
        prompts=("-p", "--prompt"),
        settings=(".copilot/settings.json", ".copilot/config.json", ".github/copilot/settings.json"),
    ),
    "factory-droid": Launch(
        processes=("droid",),
        loose={"--auto": "high"},
        homes=("FACTORY_HOME_OVERRIDE",),
        prompts=("exec",),
    ),
    "vscode": Launch(
        processes=("code", "code-insiders"),
        applications=("Visual Studio Code.app", "Visual Studio Code - Insiders.app"),
        loose=_EDITOR,
        homes=("VSCODE_PORTABLE",),
    ),
    "goose": Launch(
        processes=("goose", "goosed"),
        loose={"--no-profile": ""},
        homes=("GOOSE_MODE", "GOOSE_PATH_ROOT"),
        prompts=("run", "session"),
        settings=(".config/goose/config.yaml",),
    ),
    "windsurf": Launch(processes=("windsurf",), applications=("Windsurf.app",), loose=_EDITOR),
    "kiro": Launch(
        processes=("kiro-cli", "kiro-cli-chat", "kiro"),
        applications=("Kiro.app",),
        loose={"--trust-tools": "", **_EDITOR},
        homes=("KIRO_HOME",),
        prompts=("chat",),
    ),
    "antigravity": Launch(processes=("agy", "antigravity"), applications=("Antigravity.app",), loose=_EDITOR),
}
"""By agent, as in `DIALECTS`."""

_INTERPRETERS: Final = ("node", "bun", "deno", "python", "electron")
_NAME: Final = expression(r"[^/\\]*$")
_PATH: Final = expression(r"[/\\]")
_FILE: Final = expression(r"[./\\]")


class Process(NamedTuple):
    """One process: its name as the system has it, the words that it was started with, and the names of the variables it
    was started with, as far as the system tells them."""

    name: str
    words: tuple[str, ...] = ()
    variables: frozenset[str] = frozenset()


def agent_of(process: Process) -> str:
    """The agent that a process belongs to, empty if it is none that is known: its name is that of an agent's program,
    it is an interpreter that runs one, or it was started with a variable that an agent sets for what it starts.

    The variables can only add an agent: whoever sets one is taken for less than they are.
    """
    started = [_base(word) for word in process.words[:1]]
    names = {_base(process.name), *started}
    if any(name.startswith(_INTERPRETERS) for name in names):
        names.update(_base(word) for word in _programs(process.words[1:4]))
    text = " ".join(process.words[:4]).replace("\\", "/")
    for agent, launch in LAUNCHES.items():
        if names.intersection(launch.processes) or not process.variables.isdisjoint(launch.marks):
            return agent
        if any(f"/{folder}/" in text for folder in (*launch.packages, *launch.applications)):
            return agent
    return ""


def _programs(words: tuple[str, ...]) -> Iterator[str]:
    """What an interpreter may run, of the words behind its name: the first that is no option. Where that may be the
    value of an option, or a command of the interpreter (`run`), paths behind it, too. Other words are arguments, in
    which a person may name an agent."""
    programs = [word for word in words if not word.startswith("-")]
    yield from programs[:1]
    if programs and (words[0] != programs[0] or not _FILE.search(programs[0])):
        yield from (word for word in programs[1:] if _PATH.search(word))


def _base(path: str) -> str:
    found = _NAME.search(path)
    name = found[0].lower() if found else ""
    return name.removesuffix(".exe").removesuffix(".js").removesuffix(".cmd")
