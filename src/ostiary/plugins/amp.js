// Amp: a deny rejects the call and tells the model why, changed arguments are handed back.

const said = (name, event) => ({ ...event, type: name, cwd: process.cwd() })

async function toolCall(event) {
  const payload = said("tool.call", event)
  const answer = held(await consult(payload.type, payload, process.cwd()))
  if (answer.decision === "deny" || answer.decision === "ask") {
    return { action: "reject-and-continue", message: answer.reason }
  }
  return answer.input ? { action: "modify", input: answer.input } : { action: "allow" }
}

async function toolResult(event) {
  const payload = said("tool.result", event)
  const answer = await consult(payload.type, payload, process.cwd())
  if (answer?.decision === "deny") return { status: "done", output: answer.reason ?? UNASKED }
  if (answer?.output !== undefined) return { status: "done", output: answer.output }
}

async function agentStart(event) {
  const payload = said("agent.start", event)
  const answer = await consult(payload.type, payload, process.cwd())
  return answer?.context ? { message: { content: answer.context, display: false } } : {}
}

export default function (amp) {
  const gates = { "tool.call": toolCall, "tool.result": toolResult, "agent.start": agentStart }
  for (const name of OSTIARY.events) {
    const observe = async (event) => void (await consult(name, said(name, { thread: event.thread }), process.cwd()))
    amp.on(name, gates[name] ?? observe)
  }
}
