"""Stands in for the hook: says what the row of the session that asks wants, and writes down what it was sent.

    hook.py ROWS LOG hook --agent AGENT --event EVENT

A row's `answer` is printed as JSON, its `text` as it is; `status` is the exit code, `hang` waits for ever.
"""

from __future__ import annotations

import json
import os
import sys
import time


def session(payload: dict[str, object]) -> str:
    properties, thread = payload.get("properties"), payload.get("thread")
    found = payload.get("sessionId")
    found = properties.get("sessionID") if isinstance(properties, dict) else found
    return str(thread.get("id") if isinstance(thread, dict) else found)


def main() -> None:
    rows, log = sys.argv[1:3]
    payload = json.loads(sys.stdin.buffer.read().decode("utf-8"))
    name = session(payload)
    with open(rows, encoding="utf-8") as file:
        row = json.load(file)[int(name)]
    seen = {"arguments": sys.argv[3:], "payload": payload, "folder": os.getcwd()}
    with open(os.path.join(log, f"{name}.json"), "w", encoding="utf-8") as file:
        json.dump(seen, file)
    print("noise", file=sys.stderr)
    sys.stdout.write(json.dumps(row["answer"]) if "answer" in row else str(row.get("text", "")))
    sys.stdout.flush()
    if row.get("hang"):
        time.sleep(600)
    sys.exit(row.get("status", 0))


main()
