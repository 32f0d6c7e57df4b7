// What every bridge shares: asking the hook within bounds, and enforcing what it says. `OSTIARY` is written above by
// `ostiary install`: the program with its arguments, the time in milliseconds, what holds without an answer, and the
// events that are forwarded.
import { spawn, spawnSync } from "node:child_process"

const LARGEST_ANSWER = 8 * 1024 * 1024
const DECISIONS = ["none", "allow", "ask", "deny"]
const UNASKED = "stopped, because policy could not be asked; do not look for another way"
const ASKED = "a person has to decide, because policy could not be asked"
const PASSED = "not held up, because policy could not be asked"

const forwarded = (event) => OSTIARY.events.includes(event)
const commandLine = (event) => [...OSTIARY.arguments, "--event", event]

/** The hook's answer, or null where there is none: it could not start, failed, was late, or said what is no answer. */
function consult(event, payload, directory, signal) {
  return new Promise((settle) => {
    if (signal?.aborted) return settle(null)
    const chunks = []
    let child
    let size = 0
    const finish = (answer) => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", give_up)
      child?.kill("SIGKILL")
      settle(answer)
    }
    const give_up = () => finish(null)
    const timer = setTimeout(give_up, OSTIARY.timeout)
    signal?.addEventListener("abort", give_up)
    try {
      const text = JSON.stringify(payload)
      child = spawn(OSTIARY.program, commandLine(event), { cwd: directory, windowsHide: true, stdio: "pipe" })
      child.on("error", give_up)
      child.on("close", (code) => finish(code === 0 ? understood(Buffer.concat(chunks).toString("utf8")) : null))
      child.stdout.on("data", (chunk) => {
        size += chunk.length
        if (size > LARGEST_ANSWER) give_up()
        else chunks.push(chunk)
      })
      child.stderr.resume()
      child.stdin.on("error", () => {})
      child.stdin.end(text)
    } catch {
      give_up()
    }
  })
}

/** The same for events after which the host does not wait any more. */
function consultNow(event, payload, directory) {
  try {
    const options = { cwd: directory, input: JSON.stringify(payload), windowsHide: true, timeout: 5000 }
    spawnSync(OSTIARY.program, commandLine(event), options)
  } catch {
    // Nothing waits for the answer.
  }
}

function understood(text) {
  try {
    const answer = JSON.parse(text)
    return DECISIONS.includes(answer?.decision) ? answer : null
  } catch {
    return null
  }
}

/** What holds at a gate without an answer: what the policy's settings said when this was installed. */
function unanswered() {
  if (OSTIARY.onError === "continue") return { decision: "none", message: PASSED }
  return OSTIARY.onError === "ask" ? { decision: "ask", reason: ASKED } : { decision: "deny" }
}

/** What holds at a gate. */
function held(answer) {
  const found = answer ?? unanswered()
  return found.decision === "deny" || found.decision === "ask" ? { reason: UNASKED, ...found } : found
}

/** The arguments changed in place: hosts keep the object they handed out. */
function change(target, input) {
  for (const key of Object.keys(target)) delete target[key]
  for (const [key, value] of Object.entries(input)) {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
  }
}

/** The fields of an event that are plain values: what observers need, without conversations. */
const plain = (event) =>
  Object.fromEntries(Object.entries(event).filter(([, value]) => value === null || typeof value !== "object"))
