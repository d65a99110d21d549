import type { ModelRequest, Tool } from './model-request.ts'
import type { Call } from './script.ts'

/** A call with the input of the agent's tool. A freeform tool gets `text` instead of JSON. */
export type ToolCall = { name: string; namespace?: string; input: Record<string, unknown>; text?: string }

/** The call of a suitable tool in the request; undefined if there is none. */
export function chooseTool(call: Call, tools: readonly Tool[]): ToolCall | undefined {
  if (call.kind === 'shell') return shellCall(call.command, tools)
  if (call.kind === 'subagent') return subagentCall(call.prompt, tools)
  const tool = byName(call.name, tools)
  if (tool) return { ...addressOf(tool), input: call.input }
  const exec = tools.find(runsCode)
  return exec && { ...addressOf(exec), input: {}, text: nestedCall(call.name, call.input) }
}

/** Some tools are offered only after a search for them. */
export function searchForTool(call: Call, { tools, hasSearched }: ModelRequest): ToolCall | undefined {
  const search = firstNamed(['ToolSearch', 'tool_search'], tools)
  if (!search || hasSearched || chooseTool(call, tools)) return undefined
  const query = call.kind === 'tool' ? call.name : 'spawn_agent wait_agent'
  return { name: search.name, input: 'limit' in search.inputs ? { query, limit: 5 } : { query, max_results: 5 } }
}

/** The CLIs' names for their shell tool. */
const shells = ['Bash', 'exec_command', 'shell_command', 'shell', 'run_shell_command', 'bash']

function shellCall(command: string, tools: readonly Tool[]): ToolCall | undefined {
  const exec = tools.find(runsCode)
  if (exec) return { ...addressOf(exec), input: {}, text: nestedCall('exec_command', { cmd: command }) }
  const tool = firstNamed(shells, tools)
  if (!tool) return undefined
  const key = 'cmd' in tool.inputs ? 'cmd' : 'command'
  const input = { [key]: tool.inputs[key]?.isList ? ['bash', '-lc', command] : command }
  // Both are required where they are declared.
  if ('description' in tool.inputs) Object.assign(input, { description: 'Scripted command' })
  if ('is_background' in tool.inputs) Object.assign(input, { is_background: false })
  return { ...addressOf(tool), input }
}

/** For newer models Codex offers one tool that runs JavaScript; all other tools, MCP's too, are functions inside it. */
function runsCode({ name, isFreeform }: Tool): boolean {
  return name === 'exec' && isFreeform
}

function nestedCall(name: string, input: Record<string, unknown>): string {
  return [
    `const wanted = ${JSON.stringify(name)}`,
    "const found = ALL_TOOLS.find(({ name }) => name === wanted || name.endsWith('_' + wanted))",
    "if (!found) { text('There is no tool ' + wanted); exit() }",
    `const result = await tools[found.name](${JSON.stringify(input)})`,
    'text(result.output ?? result)',
  ].join('\n')
}

const subagents = ['Agent', 'Task', 'spawn_agent', 'task', 'agent']

function subagentCall(prompt: string, tools: readonly Tool[]): ToolCall | undefined {
  const tool = firstNamed(subagents, tools)
  if (!tool) return undefined
  const wanted: Record<string, unknown> = {
    prompt,
    message: prompt,
    description: 'Scripted subagent',
    subagent_type: 'general-purpose',
    task_name: 'scripted_subagent',
    // Otherwise newer versions run it in parallel with its parent.
    run_in_background: false,
    // Otherwise it gets its parent's whole conversation, including the script.
    fork_turns: 'none',
  }
  return {
    ...addressOf(tool),
    input: Object.fromEntries(Object.entries(wanted).filter(([name]) => name in tool.inputs)),
  }
}

// Longer than any script takes; a stuck subagent fails its test by another timeout.
const subagentTimeoutMs = 60_000

/** Codex runs subagents in parallel with their parent. Waiting makes `subagent` mean the same for every CLI. */
export function waitForSubagent(spawned: string, tools: readonly Tool[]): ToolCall | undefined {
  const tool = tools.find(({ name }) => name === 'wait_agent')
  const id = /"agent_id":"([^"]+)"/.exec(spawned)?.[1]
  if (!tool) return undefined
  const targets = 'targets' in tool.inputs && id !== undefined ? { targets: [id] } : {}
  return { ...addressOf(tool), input: { ...targets, timeout_ms: subagentTimeoutMs } }
}

function firstNamed(names: readonly string[], tools: readonly Tool[]): Tool | undefined {
  return names.flatMap((name) => tools.find((tool) => tool.name === name) ?? [])[0]
}

/** Matches the whole name, with or without its namespace, or its end: `ask` matches `mcp__server__ask`. */
function byName(name: string, tools: readonly Tool[]): Tool | undefined {
  return (
    tools.find((tool) => fullName(tool) === name || tool.name === name) ?? tools.find((tool) => endsWith(tool, name))
  )
}

function endsWith(tool: Tool, name: string): boolean {
  return fullName(tool).endsWith(`_${name}`)
}

export function fullName({ namespace, name }: Tool): string {
  return namespace === undefined ? name : `${namespace}${namespace.endsWith('__') ? '' : '__'}${name}`
}

function addressOf({ name, namespace }: Tool): { name: string; namespace?: string } {
  return namespace === undefined ? { name } : { name, namespace }
}
