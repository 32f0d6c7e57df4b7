// OpenCode, both lines in one file: the first calls `server`, the second `setup`. A deny is thrown, arguments are
// changed in place (first line) or assigned (second).

const envelope = (type, properties, directory) => ({ type, properties, directory })

/** Throws unless the call may go on: an error is what either host takes for a refusal. */
function insist(answer) {
  if (answer.decision === "deny" || answer.decision === "ask") throw new Error(answer.reason)
  return answer
}

const withheld = (answer) => ({ title: "", output: answer.reason ?? UNASKED, metadata: {} })

const flat = (name) => name.replace(/[^a-zA-Z0-9_-]/g, "_")

/** The MCP server of a tool by the names that the configuration knows; the tool's name alone does not tell. */
function owner(tool, servers) {
  const found = servers.filter((name) => tool.startsWith(`${flat(name)}_`)).sort((a, b) => b.length - a.length)[0]
  return found === undefined ? {} : { server: found, serverTool: tool.slice(flat(found).length + 1) }
}

const prompt = (parts) => parts.filter((part) => part.type === "text").map((part) => part.text).join("\n")

async function server({ directory }) {
  let servers = []
  const about = ({ tool, sessionID, callID }, args) => ({ tool, sessionID, callID, args, ...owner(tool, servers) })
  const hooks = {
    "tool.execute.before": async (input, output) => {
      const call = envelope("tool.execute.before", about(input, output.args), directory)
      const answer = insist(held(await consult(call.type, call, directory)))
      if (answer.input) change(output.args, answer.input)
    },
    "tool.execute.after": async (input, output) => {
      const result = { title: output.title, output: output.output, metadata: output.metadata }
      const properties = { ...about(input, input.args), result }
      const call = envelope("tool.execute.after", properties, directory)
      const answer = await consult(call.type, call, directory)
      if (answer?.output) Object.assign(output, answer.output)
      if (answer?.decision === "deny") Object.assign(output, withheld(answer))
      if (answer?.context) output.output += `\n${answer.context}`
    },
    "chat.message": async (input, output) => {
      const properties = { sessionID: input.sessionID, prompt: prompt(output.parts) }
      const call = envelope("chat.message", properties, directory)
      const answer = insist(held(await consult(call.type, call, directory)))
      if (answer.context) output.parts.push(addition(input.sessionID, output.message.id, answer.context))
    },
  }
  return {
    ...Object.fromEntries(Object.entries(hooks).filter(([name]) => forwarded(name))),
    config: async (config) => {
      servers = Object.keys(config?.mcp ?? {})
    },
    event: async ({ event }) => {
      const call = envelope(event.type, event.properties, directory)
      if (forwarded(event.type) && !(event.type in hooks)) await consult(call.type, call, directory)
    },
  }
}

const addition = (sessionID, messageID, text) => ({
  id: `prt_ostiary${Date.now()}${Math.random().toString(36).slice(2)}`,
  sessionID,
  messageID,
  type: "text",
  text,
  synthetic: true,
})

async function setup(ctx) {
  const directory = ctx.location?.directory ?? process.cwd()
  const about = ({ tool, sessionID, agent, id }, args) => ({ tool, sessionID, agent, callID: id, args })
  const on = (area, hook, name, handler) => forwarded(name) && ctx[area].hook(hook, handler)
  on("tool", "execute.before", "v2.tool.execute.before", async (event) => {
    const call = envelope("v2.tool.execute.before", about(event, event.input), directory)
    const answer = insist(held(await consult(call.type, call, directory)))
    if (answer.input) event.input = answer.input
  })
  on("tool", "execute.after", "v2.tool.execute.after", async (event) => {
    const properties = { ...about(event, event.input), status: event.status, result: event.result ?? event.error }
    const call = envelope("v2.tool.execute.after", properties, directory)
    const answer = await consult(call.type, call, directory)
    if (answer?.decision === "deny") throw new Error(answer.reason ?? UNASKED)
    if (answer?.output) event[event.status === "error" ? "error" : "result"] = answer.output
  })
  on("session", "prompt", "v2.session.prompt", async (event) => {
    const properties = { sessionID: event.sessionID, prompt: event.prompt?.text }
    const call = envelope("v2.session.prompt", properties, directory)
    insist(held(await consult(call.type, call, directory)))
  })
}

export default { id: "ostiary", server, setup }
