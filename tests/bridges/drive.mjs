// Plays the hosts' part: loads a bridge, calls its hooks as each row of the table says, and prints what came of it.
import { pathToFileURL } from "node:url"
import { readFileSync } from "node:fs"

const { plugins, rows, directory } = JSON.parse(readFileSync(0, "utf8"))
const load = async (path) => (await import(pathToFileURL(path).href)).default
const loaded = {}
for (const name of Object.keys(plugins)) loaded[name] = await load(plugins[name])

/** What a hook did: what it threw or returned, and what became of what it was handed. */
async function tried(act, left) {
  try {
    const value = await act()
    return { ...(value === undefined ? {} : { value }), ...left() }
  } catch (error) {
    return { thrown: error instanceof Error ? error.message : String(error), ...left() }
  }
}

const about = (row, session) => ({ tool: row.tool, sessionID: session, callID: "call_1" })

const opencode = {
  async first(row, session, plugin) {
    const hooks = await plugin.server({ directory, worktree: directory })
    await hooks.config?.({ mcp: row.servers })
    if (row.bus) return tried(() => hooks.event({ event: { type: row.on, properties: { sessionID: session, ...row.bus } } }), () => ({}))
    if (!hooks[row.on]) return { unhooked: true }
    const output = structuredClone(row.output ?? {})
    const kept = output.args
    const input = { ...about(row, session), ...(row.args ? { args: row.args } : {}) }
    return tried(() => hooks[row.on](input, output), () => {
      for (const part of output.parts ?? []) if (part.synthetic) part.id = part.id.slice(0, 11)
      return { output, ...(kept ? { same: kept === output.args } : {}) }
    })
  },
  async second(row, session, plugin) {
    const hooks = {}
    const area = (name) => ({ hook: (hook, handler) => { hooks[`${name}.${hook}`] = handler } })
    await plugin.setup({ location: { directory }, tool: area("tool"), session: area("session") })
    if (!hooks[row.on]) return { unhooked: true }
    const event = { tool: row.tool, sessionID: session, agent: "build", messageID: "msg_1", id: "call_1", ...structuredClone(row.event) }
    const before = Object.keys(row.event)
    return tried(() => hooks[row.on](event), () => ({ event: Object.fromEntries(before.map((key) => [key, event[key]])) }))
  },
}

async function pi(row, session, plugin) {
  const handlers = {}
  plugin({ on: (name, handler) => { handlers[name] = handler } })
  if (!handlers[row.on]) return { unhooked: true }
  const asked = []
  const notified = []
  const ui = {
    confirm: async (...words) => { asked.push(words); if (row.confirm === "throw") throw new Error("gone"); return row.confirm },
    notify: (...words) => notified.push(words),
  }
  const signal = row.aborted ? AbortSignal.abort() : undefined
  const sessionManager = { getSessionId: () => session, getSessionFile: () => "/sessions/1.jsonl" }
  const ctx = { cwd: directory, hasUI: row.ui ?? false, mode: "tui", ui, signal, sessionManager }
  const event = { type: row.on, ...structuredClone(row.event) }
  const kept = event.input
  return tried(() => handlers[row.on](event, ctx), () => ({
    ...(kept ? { input: event.input, same: kept === event.input } : {}),
    ...(asked.length ? { asked } : {}),
    ...(notified.length ? { notified } : {}),
  }))
}

async function amp(row, session, plugin) {
  const handlers = {}
  plugin({ on: (name, handler) => { handlers[name] = handler } })
  if (!handlers[row.on]) return { unhooked: true }
  return tried(() => handlers[row.on]({ thread: { id: session }, ...structuredClone(row.event) }), () => ({}))
}

const hosts = { "opencode-1": opencode.first, "opencode-2": opencode.second, pi, amp }
const found = []
for (const [index, row] of rows.entries()) {
  found.push(await hosts[row.host](row, String(index), loaded[row.plugin ?? "steady"]))
}
process.stdout.write(JSON.stringify(found))
