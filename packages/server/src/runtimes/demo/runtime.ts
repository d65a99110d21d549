import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../../platform/process/environment.ts'
import { errnoOf } from '../../platform/process/errno.ts'
import type { Child } from '../../platform/process/launch.ts'
import { launchAgent } from '../launch-agent.ts'
import {
  type Conversation,
  mainThread,
  type RunningTurn,
  type Runtime,
  type SubagentFacts,
  type TranscriptFile,
  type TurnEnd,
  type TurnOrder,
  type WrittenTranscript,
} from '../runtime.ts'
import { DemoNotice, type DemoRequest, DemoSubagent } from './protocol.ts'
import { usageOf } from './usage.ts'

/** The agent is a program of its own, so it is always the built file that runs, whoever imports this one. */
const agentProgram = fileURLToPath(new URL('../../../dist/runtimes/demo/agent.js', import.meta.url))

/** How long an agent that was asked to stop may take before it is told. */
const graceMs = 5000

/** The built-in agent: a real child process that plays back its prompt line by line and needs no key. */
export const demoRuntime: Runtime = {
  name: 'demo',
  models: () => [{ id: 'demo', label: 'Demo', default: true, requires_oauth: false }],
  newConversationId: () => randomUUID(),
  equip: async () => [],
  start,
  transcriptFiles,
  writeTranscript,
  showsReceipt: () => true,
  isWorthKeeping: () => true,
  usageOf,
}

async function start(order: TurnOrder): Promise<RunningTurn> {
  const { conversation } = order
  const folder = transcriptFolder(conversation)
  await mkdir(folder, { recursive: true })
  const program = {
    command: process.execPath,
    args: [agentProgram, idOf(conversation), folder],
    cwd: conversation.workingDirectory,
    env: childEnvironment({ set: { ...order.equipment.environment, HOME: conversation.home } }),
  }
  return launchAgent(order, program, (child) => {
    const heard = listen(child, order)
    tell(child, { type: 'prompt', prompt: order.prompt })
    return {
      identity: child.identity,
      ended: judge(child, heard),
      interrupt: async () => {
        await child.stop({ graceMs, ask: () => tell(child, { type: 'interrupt' }) })
      },
    }
  })
}

function idOf({ id }: Conversation): string {
  if (id === undefined) throw new Error('a demo conversation has an id from the beginning')
  return id
}

function tell(child: Child, request: DemoRequest): void {
  child.stdin?.on('error', () => undefined) // an agent that is gone cannot be told anything; its exit says the rest
  child.stdin?.write(`${JSON.stringify(request)}\n`)
}

type Result = Extract<DemoNotice, { type: 'result' }>

async function listen(child: Child, order: TurnOrder): Promise<Result | undefined> {
  let result: Result | undefined
  for await (const { text } of child.lines) {
    order.onActivity()
    const notice = readNotice(text)
    if (notice?.type === 'result') {
      result = notice
      child.stdin?.end()
    }
  }
  return result
}

function readNotice(text: string): DemoNotice | undefined {
  try {
    return DemoNotice.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** The agent's own word decides; without one it died, and how is all there is to say. */
async function judge(child: Child, heard: Promise<Result | undefined>): Promise<TurnEnd> {
  const [exit, result] = await Promise.all([child.exited, heard])
  // Whatever the agent started goes with it.
  await child.stop({ graceMs: 0 })
  if (result?.outcome === 'completed' || result?.outcome === 'interrupted') return { kind: result.outcome }
  if (result) return { kind: 'failed', reason: 'agent_error', detail: result.detail }
  const how = exit.signal ? `was killed by ${exit.signal}` : `exited with code ${exit.code}`
  const detail = [`The agent process ${how} before it finished the turn.`, child.stderrTail().trim()]
    .filter(Boolean)
    .join(' ')
  return { kind: 'failed', reason: 'crash', detail }
}

function transcriptFolder(conversation: Conversation): string {
  return join(conversation.home, 'transcripts')
}

/** The main file is named after the conversation; each subagent has one of its own beside it. */
async function transcriptFiles(conversation: Conversation): Promise<TranscriptFile[]> {
  const folder = transcriptFolder(conversation)
  const names = await readdir(folder).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return []
    throw error
  })
  const threads = names.filter((name) => name.endsWith('.jsonl')).map((name) => basename(name, '.jsonl'))
  return Promise.all(
    threads.map(async (thread) => {
      const path = join(folder, `${thread}.jsonl`)
      if (thread === conversation.id) return { thread: mainThread, path }
      const subagent = await readFacts(join(folder, `${thread}.json`))
      return { thread, path, ...(subagent && { subagent }) }
    }),
  )
}

async function readFacts(path: string): Promise<SubagentFacts | undefined> {
  try {
    return DemoSubagent.safeParse(JSON.parse(await readFile(path, 'utf8'))).data
  } catch {
    return undefined // not there, or not whole; the transcript tells enough
  }
}

async function writeTranscript(conversation: Conversation, lines: AsyncIterable<string>): Promise<WrittenTranscript> {
  const folder = transcriptFolder(conversation)
  await mkdir(folder, { recursive: true })
  const conversationId = idOf(conversation)
  const path = join(folder, `${conversationId}.jsonl`)
  await pipeline(Readable.from(terminated(lines)), createWriteStream(path))
  return { conversationId, path }
}

async function* terminated(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`
}
