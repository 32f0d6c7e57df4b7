// Pi: a deny is a block with its reason, a question is asked where somebody can answer, arguments are changed in place.

/** What the hook reads: the event, and where and in which session it happened. */
const said = (name, event, ctx) => ({
  ...event,
  type: name,
  cwd: event.cwd ?? ctx.cwd,
  hasUI: ctx.hasUI === true,
  sessionId: ctx.sessionManager?.getSessionId?.(),
  sessionFile: ctx.sessionManager?.getSessionFile?.(),
})

const judged = async (name, event, ctx) => held(await consult(name, said(name, event, ctx), ctx.cwd, ctx.signal))

/** Whether the call may go on; a question that nobody answers with yes is a no. */
async function permitted(answer, ctx) {
  if (answer.message && ctx.hasUI === true) ctx.ui.notify(answer.message, "info")
  if (answer.decision !== "ask") return answer.decision !== "deny"
  return ctx.hasUI === true && (await ctx.ui.confirm("Policy asks", answer.people ?? answer.reason)) === true
}

async function tool_call(event, ctx) {
  const answer = await judged("tool_call", event, ctx)
  if (!(await permitted(answer, ctx))) return { block: true, reason: answer.reason }
  if (answer.input) change(event.input, answer.input)
}

async function user_bash(event, ctx) {
  const answer = await judged("user_bash", event, ctx)
  if (await permitted(answer, ctx)) return
  return { result: { output: answer.reason, exitCode: 1, cancelled: false, truncated: false } }
}

/** Pi skips a handler of this event that throws, so nothing here may. */
async function input(event, ctx) {
  const answer = await judged("input", plain(event), ctx)
  if (await permitted(answer, ctx).catch(() => false)) return { action: "continue" }
  if (ctx.hasUI === true) ctx.ui.notify(answer.people ?? answer.reason, "error")
  return { action: "handled" }
}

async function tool_result(event, ctx) {
  const answer = await consult("tool_result", said("tool_result", event, ctx), ctx.cwd)
  if (answer?.decision === "deny") return { content: [{ type: "text", text: answer.reason ?? UNASKED }] }
  const note = answer?.context ? [{ type: "text", text: answer.context }] : []
  if (answer?.output) return { content: [...answer.output, ...note] }
  if (note.length === 0) return
  const structured = event.structuredContent === undefined ? {} : { structuredContent: event.structuredContent }
  return { content: [...event.content, ...note], ...structured }
}

async function session_before_compact(event, ctx) {
  const answer = await consult("session_before_compact", said("session_before_compact", plain(event), ctx), ctx.cwd)
  if (answer?.decision === "deny") return { cancel: true }
}

function session_shutdown(event, ctx) {
  consultNow("session_shutdown", said("session_shutdown", plain(event), ctx), ctx.cwd)
}

export default function (pi) {
  const gates = { tool_call, user_bash, input, tool_result, session_before_compact, session_shutdown }
  for (const name of OSTIARY.events) {
    const observe = async (event, ctx) => void (await consult(name, said(name, plain(event), ctx), ctx.cwd))
    pi.on(name, gates[name] ?? observe)
  }
}
