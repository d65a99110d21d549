import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { newRunMarker } from '../../../src/platform/process/run-marker.ts'
import { type Equipment, noEquipment } from '../../../src/runtimes/equipment.ts'
import {
  type Conversation,
  mainThread,
  type RunningTurn,
  type Runtime,
  type TurnEnd,
} from '../../../src/runtimes/runtime.ts'
import type { Usage } from '../../../src/runtimes/usage.ts'
import { confined } from './confined.ts'

type TurnOptions = {
  model?: string
  equipment?: Partial<Equipment>
  compactWindow?: number
  onNamed?: (id: string) => Promise<void>
}

/** A session without a server: a runtime, a conversation on disk and the runtime's callbacks. */
export type DrivenSession = {
  conversation: Conversation
  notices: string[]
  /** Equips and starts, like a turn of the server. */
  start(prompt: string, options?: TurnOptions): Promise<RunningTurn>
  run(prompt: string, options?: TurnOptions): Promise<TurnEnd>
  /** The lines of the main thread, or of the only subagent. */
  lines(thread?: 'main' | 'subagent'): Promise<string[]>
  usages(): Promise<Usage[]>
}

/** With a conversation it uses the same home again, like after a restart of the server. */
export async function drivenSession(
  runtime: Runtime,
  defaults: { model: string; conversation?: Conversation },
): Promise<DrivenSession> {
  const conversation = defaults.conversation ? { ...defaults.conversation } : await newConversation(runtime)
  const notices: string[] = []
  const start = async (prompt: string, options: TurnOptions = {}): Promise<RunningTurn> => {
    const equipment = { ...noEquipment, ...options.equipment }
    notices.push(...(await runtime.equip(conversation, equipment)))
    const running = await runtime.start({
      conversation: { ...conversation },
      prompt,
      model: options.model ?? defaults.model,
      equipment,
      ...(options.compactWindow !== undefined && { compactWindow: options.compactWindow }),
      marker: newRunMarker(),
      onUp: async () => undefined,
      onNamed: async (id) => {
        conversation.id = id
        await options.onNamed?.(id)
      },
      confine: await confined(conversation),
      onActivity: () => undefined,
      onNotice: (sentence) => void notices.push(sentence),
    })
    onTestFinished(() => running.interrupt())
    return running
  }
  const files = () => runtime.transcriptFiles(conversation)
  return {
    conversation,
    notices,
    start,
    run: async (prompt, options) => (await start(prompt, options)).ended,
    lines: async (thread = 'main') => {
      const file = (await files()).find((candidate) => (candidate.thread === mainThread) === (thread === 'main'))
      return file ? (await readFile(file.path, 'utf8')).trim().split('\n') : []
    },
    usages: async () => {
      const texts = await Promise.all((await files()).map(({ path }) => readFile(path, 'utf8')))
      return texts.flatMap((text) => text.split('\n')).flatMap((line) => runtime.usageOf(line) ?? [])
    },
  }
}

export async function newConversation(runtime: Runtime): Promise<Conversation> {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-driven-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const conversation = {
    id: runtime.newConversationId(),
    home: join(folder, 'home'),
    workingDirectory: join(folder, 'clone'),
  }
  await mkdir(conversation.home, { recursive: true })
  await mkdir(conversation.workingDirectory, { recursive: true })
  return conversation
}
