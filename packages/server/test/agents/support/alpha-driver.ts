import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { newRunMarker } from '../../../src/platform/process/run-marker.ts'
import { sweepMarked } from '../../../src/platform/process/stop.ts'
import { models } from '../../../src/runtimes/alpha/models.ts'
import { alphaRuntime } from '../../../src/runtimes/alpha/runtime.ts'
import { type Equipment, noEquipment } from '../../../src/runtimes/equipment.ts'
import { offeredModels } from '../../../src/runtimes/models.ts'
import {
  type Conversation,
  mainThread,
  type RunningTurn,
  type Runtime,
  type TurnEnd,
} from '../../../src/runtimes/runtime.ts'
import { cli } from './cli.ts'
import { confined } from './confined.ts'

/** A session of `runtime_alpha` without a server: a home, a repository and the driver. */
export type AlphaSession = {
  conversation: Conversation
  runtime: Runtime
  /** The log sentences of all turns. */
  notices: string[]
  begin(prompt: string, order?: Partial<Order>): Promise<RunningTurn>
  turn(prompt: string, order?: Partial<Order>): Promise<TurnEnd>
  equip(equipment: Partial<Equipment>): Promise<string[]>
  /** The main thread's lines. */
  lines(): Promise<string[]>
}

type Order = { model: string; equipment: Partial<Equipment> }

type Options = { modelUrl: string; environment?: Record<string, string> }

export async function alphaSession({ modelUrl, environment = {} }: Options): Promise<AlphaSession> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'yardmaster-alpha-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const runtime = alphaRuntime({
    command: cli('runtime_alpha'),
    environment: { ANTHROPIC_BASE_URL: modelUrl, ANTHROPIC_API_KEY: 'scripted-key', ...environment },
    models: offeredModels(models),
  })
  const conversation = {
    id: runtime.newConversationId(),
    home: join(folder, 'home'),
    workingDirectory: join(folder, 'clone'),
  }
  await mkdir(conversation.home)
  await promisify(execFile)('git', ['init', '--quiet', conversation.workingDirectory])
  const notices: string[] = []
  const begin: AlphaSession['begin'] = async (prompt, { model = 'claude-sonnet-5', equipment = {} } = {}) => {
    const marker = newRunMarker()
    onTestFinished(() => void sweepMarked(marker))
    return runtime.start({
      conversation,
      prompt,
      model,
      equipment: { ...noEquipment, ...equipment },
      marker,
      onUp: async () => undefined,
      onNamed: async () => undefined,
      confine: await confined(conversation),
      onActivity: () => undefined,
      onNotice: (sentence) => void notices.push(sentence),
    })
  }
  return {
    conversation,
    runtime,
    notices,
    begin,
    turn: async (prompt, order) => (await begin(prompt, order)).ended,
    equip: (equipment) => runtime.equip(conversation, { ...noEquipment, ...equipment }),
    lines: () => linesOf(runtime, conversation),
  }
}

export async function linesOf(runtime: Runtime, conversation: Conversation, thread = mainThread): Promise<string[]> {
  const file = (await runtime.transcriptFiles(conversation)).find((candidate) => candidate.thread === thread)
  return file ? (await readFile(file.path, 'utf8')).split('\n').filter(Boolean) : []
}
