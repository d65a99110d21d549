import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ProcessIdentity, processTable } from '../../../src/platform/process/process-table.ts'
import { newRunMarker } from '../../../src/platform/process/run-marker.ts'
import type { AcpAgent } from '../../../src/runtimes/acp/agent.ts'
import { agentsChoice } from '../../../src/runtimes/acp/models.ts'
import { acpRuntime } from '../../../src/runtimes/acp/runtime.ts'
import { type Equipment, noEquipment } from '../../../src/runtimes/equipment.ts'
import type { Ask } from '../../../src/runtimes/question.ts'
import type { Conversation, RunningTurn, Runtime, TurnEnd } from '../../../src/runtimes/runtime.ts'

type Choices = {
  abilities?: string[]
  refuses?: string[]
  environment?: Record<string, string>
  agent?: Partial<AcpAgent>
}

type Order = { model?: string; equipment?: Partial<Equipment>; ask?: Ask }

export type AgentRequest = { method: string; params: Record<string, unknown> }

/** One session of an ACP runtime with the scripted agent, in a folder of its own. */
export type ScriptedSession = {
  runtime: Runtime
  conversation: Conversation
  notices: string[]
  /** The callbacks in the order in which the driver called them. */
  named: string[]
  /** How often the driver reported activity. */
  stirrings: number
  begin(prompt: string, order?: Order): Promise<RunningTurn>
  run(prompt: string, order?: Order): Promise<TurnEnd>
  /** The lines of the conversation's transcript, or of the named file. */
  lines(path?: string): Promise<string[]>
  /** The blocks of a transcript, each as one readable string. */
  said(path?: string): Promise<string[]>
  /** The agent's requests in order, of one method if one is named. */
  requests(method?: string): Promise<AgentRequest[]>
  /** The processes of its turns that still run. */
  leftBehind(): Promise<ProcessIdentity[]>
  remove(): Promise<void>
}

export async function scriptedSession(choices: Choices = {}): Promise<ScriptedSession> {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-acp-'))
  const workingDirectory = join(folder, 'clone')
  const home = join(folder, 'home')
  await mkdir(workingDirectory)
  await mkdir(home)
  const running = new Set<RunningTurn>()
  const markers: string[] = []
  const session: ScriptedSession = {
    runtime: acpRuntime(scriptedAgent(choices)),
    conversation: { id: undefined, home, workingDirectory },
    notices: [],
    named: [],
    stirrings: 0,
    async begin(prompt, { model = agentsChoice.id, equipment, ask } = {}) {
      const marker = newRunMarker()
      markers.push(marker)
      const turn = await session.runtime.start({
        conversation: session.conversation,
        prompt,
        model,
        equipment: { ...noEquipment, ...equipment },
        marker,
        ...(ask && { ask }),
        onUp: async () => undefined,
        onNamed: async (id) => {
          session.named.push(id)
          session.conversation = { ...session.conversation, id }
        },
        confine: async (program) => program,
        onActivity: () => {
          session.stirrings += 1
        },
        onNotice: (sentence) => void session.notices.push(sentence),
      })
      running.add(turn)
      return turn
    },
    run: async (prompt, order) => (await session.begin(prompt, order)).ended,
    async lines(path) {
      const [main] = await session.runtime.transcriptFiles(session.conversation)
      const file = path ?? main?.path
      return file === undefined ? [] : (await readFile(file, 'utf8')).split('\n').slice(0, -1)
    },
    said: async (path) => (await session.lines(path)).flatMap((line) => blocksOf(JSON.parse(line))),
    async requests(method) {
      const text = await readFile(join(home, 'requests.jsonl'), 'utf8').catch(() => '')
      const all: AgentRequest[] = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
      return all.filter((one) => method === undefined || one.method === method)
    },
    async leftBehind() {
      return (await Promise.all(markers.map((marker) => processTable().findMarked(marker)))).flat()
    },
    async remove() {
      await Promise.all([...running].map((turn) => turn.interrupt()))
      await rm(folder, { recursive: true, force: true })
    },
  }
  return session
}

const program = fileURLToPath(new URL('scripted-agent.mjs', import.meta.url))

function scriptedAgent({ abilities = ['resume'], refuses = [], environment = {}, agent }: Choices): AcpAgent {
  return {
    name: 'scripted',
    command: process.execPath,
    args: [program],
    passEnvironment: [],
    setEnvironment: {
      SCRIPTED_ABILITIES: abilities.join(),
      SCRIPTED_REFUSES: refuses.join(),
      ...environment,
    },
    models: [agentsChoice],
    // An agent that reacts does so at once, but a busy machine takes seconds. Tests of one that does not have short ones.
    timeouts: { answerMs: 120_000, graceMs: 20_000, exitMs: 20_000 },
    ...agent,
  }
}

type Block = { type: string; text?: string; thinking?: string; name?: string; input?: unknown; content?: unknown }

function blocksOf(entry: { type: string; message: { content: string | Block[] } }): string[] {
  const { content } = entry.message
  if (typeof content === 'string') return [`${entry.type}: ${content}`]
  return content.map(({ type, text, thinking, name, input, content: result }) => {
    if (type === 'tool_use') return `tool_use: ${name} ${JSON.stringify(input)}`
    return `${type}: ${text ?? thinking ?? result}`
  })
}
