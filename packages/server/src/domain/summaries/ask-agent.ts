import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { removeFolder } from '../../platform/files/remove-folder.ts'
import { errnoOf } from '../../platform/process/errno.ts'
import { SpawnFailed } from '../../platform/process/spawn-failed.ts'
import { sweepMarked } from '../../platform/process/stop.ts'
import { noEquipment } from '../../runtimes/equipment.ts'
import { type Conversation, mainThread, type Runtime, type TurnEnd, type TurnOrder } from '../../runtimes/runtime.ts'
import type { Usage } from '../../runtimes/usage.ts'
import type { App } from '../app.ts'
import type { SessionRow } from '../sessions/session.ts'
import { assistantText, toolUsesIn, transcriptLinesOf } from '../transcripts/transcript.ts'

declare module '../app.ts' {
  interface App {
    /** What an agent signs in with that is asked a question outside of a turn: a vendor account or a stored key, if there is one. */
    agentAccess(runtime: Runtime, sessionId: number): Promise<Pick<TurnOrder, 'login' | 'providerKey'>>
  }
}

export type AgentAnswer = {
  end: TurnEnd
  /** The last assistant message; blank when there is none. */
  text: string
  usages: Usage[]
  /** The conversation of the question, as the agent wrote it. */
  lines: string[]
}

type Question = {
  prompt: string
  marker: string
  /** Aborting it stops the agent. */
  signal: AbortSignal
}

/**
 * Asks an agent with the session's runtime and model one question outside the session: in an empty folder and without any
 * tool, because the question quotes text that others wrote. It creates no session row and leaves nothing on disk; the caller
 * stores the lines.
 */
export async function askAgent(app: App, session: SessionRow, question: Question): Promise<AgentAnswer> {
  const runtime = app.runtimes.find(session.agent_runtime)
  if (!runtime) return failed(`The runtime ${session.agent_runtime} is not registered on this host.`)
  const folder = app.home.in(questionsFolder, question.marker)
  app.runs.add(question.marker)
  try {
    const conversation = await prepare(folder, runtime)
    const model = String(session.config.model)
    const access = await app.agentAccess(runtime, session.id)
    return await converse(
      runtime,
      {
        conversation,
        model,
        ...access,
        confine: app.confinement.confine({ work: folder, home: folder }),
        isMachineTheSandbox: app.confinement.isMachineTheSandbox,
      },
      question,
    )
  } catch (error) {
    if (error instanceof SpawnFailed) return failed(error.message)
    if (question.signal.aborted) return { end: { kind: 'interrupted' }, text: '', usages: [], lines: [] }
    throw error
  } finally {
    app.runs.delete(question.marker)
    await removeFolder(folder)
  }
}

/** Each question has a folder named after the run marker of its processes, so that leftovers of a crash are found. */
const questionsFolder = 'questions'

/** Ends processes and removes folders that a crash left behind. Their summaries are claimed again when the lease expires. */
export async function removeLeftovers(app: App): Promise<void> {
  const folder = app.home.in(questionsFolder)
  const markers = await readdir(folder).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return []
    throw error
  })
  for (const marker of markers) {
    await sweepMarked(marker)
    await removeFolder(join(folder, marker))
  }
}

function failed(detail: string): AgentAnswer {
  return { end: { kind: 'failed', reason: 'agent_error', detail }, text: '', usages: [], lines: [] }
}

async function prepare(folder: string, runtime: Runtime): Promise<Conversation> {
  const home = join(folder, 'home')
  const workingDirectory = join(folder, 'work')
  for (const path of [home, workingDirectory]) await mkdir(path, { recursive: true, mode: 0o700 })
  const conversation = { id: runtime.newConversationId(), home, workingDirectory }
  await runtime.equip(conversation, noEquipment)
  return conversation
}

async function converse(
  runtime: Runtime,
  {
    conversation: prepared,
    ...agent
  }: Pick<TurnOrder, 'conversation' | 'model' | 'confine' | 'isMachineTheSandbox' | 'login' | 'providerKey'>,
  { prompt, marker, signal }: Question,
): Promise<AgentAnswer> {
  let conversation = prepared
  const running = await runtime.start({
    conversation,
    prompt,
    hasNoTools: true,
    equipment: noEquipment,
    marker,
    ...agent,
    onUp: async () => signal.throwIfAborted(),
    onNamed: async (id) => {
      conversation = { ...conversation, id }
    },
    onActivity: () => undefined,
    onNotice: () => undefined,
  })
  const stop = () => void running.interrupt()
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    const end = await running.ended
    const answer = await readAnswer(runtime, conversation)
    return { end: answer.lines.some((line) => toolUsesIn(line) > 0) ? usedTools : end, ...answer }
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** An agent that found a tool anyway may have followed the quoted text: its answer is not used. */
const usedTools: TurnEnd = {
  kind: 'failed',
  reason: 'agent_error',
  detail:
    'The agent used a tool, which it may not do for a summary. Its transcript is among the subagents of the session.',
}

/** Bounds what an agent that writes without end leaves in the database. */
const maxLines = 200

async function readAnswer(runtime: Runtime, conversation: Conversation): Promise<Omit<AgentAnswer, 'end'>> {
  let text = ''
  const lines: string[] = []
  const usages: Usage[] = []
  for (const { thread, path } of await runtime.transcriptFiles(conversation)) {
    for await (const { text: line } of transcriptLinesOf({ path, within: conversation.home }, { fromByte: 0 })) {
      usages.push(...[runtime.usageOf(line) ?? []].flat())
      if (thread === mainThread) text = assistantText(line) || text
      if (lines.length < maxLines && runtime.isWorthKeeping(line)) lines.push(line)
    }
  }
  return { text, usages, lines }
}
