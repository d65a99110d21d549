import { fileURLToPath } from 'node:url'
import { ensureUntrusted } from '../../platform/files/untrusted-folder.ts'
import { parseJson } from '../../platform/parse-json.ts'
import { childEnvironment } from '../../platform/process/environment.ts'
import type { Child } from '../../platform/process/launch.ts'
import { launchAgent } from '../launch-agent.ts'
import { permissionQuestion } from '../question.ts'
import type { RunningTurn, TurnEnd, TurnOrder } from '../runtime.ts'
import { DemoNotice, type DemoRequest } from './protocol.ts'
import { idOf, transcriptFolder } from './transcript.ts'

/** Always the built file, even if this module runs from source: the agent is a program of its own. */
const agentProgram = fileURLToPath(new URL('../../../dist/runtimes/demo/agent.js', import.meta.url))

/** Grace period after the protocol's interrupt, and again after SIGTERM. */
const graceMs = 5000

/** Runs a turn in a process of its own. */
export async function startTurn(order: TurnOrder): Promise<RunningTurn> {
  const { conversation } = order
  const folder = transcriptFolder(conversation)
  await ensureUntrusted(folder, { within: conversation.home })
  const program = {
    command: process.execPath,
    args: [agentProgram, idOf(conversation), folder],
    cwd: conversation.workingDirectory,
    env: childEnvironment({ set: { ...order.equipment.environment, HOME: conversation.home } }),
  }
  return launchAgent(order, program, (child) => {
    const result = readResult(child, order)
    const servers = order.equipment.mcpServers.flatMap((server) => (server.kind === 'http' ? [server] : []))
    const { prompt, hasNoTools = false, ask } = order
    send(child, { type: 'prompt', prompt, hasNoTools, asksFirst: ask !== undefined, servers })
    return {
      identity: child.identity,
      ended: decideTurnEnd(child, result),
      interrupt: async () => {
        await child.stop({ graceMs, ask: () => send(child, { type: 'interrupt' }) })
      },
    }
  })
}

function send(child: Child, request: DemoRequest): void {
  child.stdin?.on('error', () => undefined) // the exit status reports that the agent is gone
  child.stdin?.write(`${JSON.stringify(request)}\n`)
}

type Result = Extract<DemoNotice, { type: 'result' }>

async function readResult(child: Child, order: TurnOrder): Promise<Result | undefined> {
  let result: Result | undefined
  for await (const { text } of child.lines) {
    order.onActivity()
    const notice = parseNotice(text)
    if (notice?.type === 'question') void answer(child, order, notice)
    if (notice?.type === 'result') {
      result = notice
      child.stdin?.end()
    }
  }
  return result
}

async function answer(
  child: Child,
  { ask }: TurnOrder,
  { id, line }: Extract<DemoNotice, { type: 'question' }>,
): Promise<void> {
  const [toolName] = line.trim().split(' ')
  const question = permissionQuestion({ message: `May the demo agent do this? ${line}`, toolName })
  const isGranted = (await ask?.(question))?.action === 'accept'
  send(child, { type: 'answer', id, isGranted })
}

function parseNotice(text: string): DemoNotice | undefined {
  return DemoNotice.safeParse(parseJson(text)).data
}

/** The agent's result decides. Without one it crashed. */
async function decideTurnEnd(child: Child, reported: Promise<Result | undefined>): Promise<TurnEnd> {
  const [exit, result] = await Promise.all([child.exited, reported])
  // Kill what the agent left running.
  await child.stop({ graceMs: 0 })
  if (result?.outcome === 'completed' || result?.outcome === 'interrupted') return { kind: result.outcome }
  if (result) return { kind: 'failed', reason: 'agent_error', detail: result.detail }
  const how = exit.signal ? `was killed by ${exit.signal}` : `exited with code ${exit.code}`
  const detail = [`The agent process ${how} before it finished the turn.`, child.stderrTail().trim()]
    .filter(Boolean)
    .join(' ')
  return { kind: 'failed', reason: 'crash', detail }
}
