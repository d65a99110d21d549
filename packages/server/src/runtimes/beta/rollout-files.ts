import { basename, join } from 'node:path'
import { z } from 'zod'
import { ifUntrusted, openUntrusted } from '../../platform/files/untrusted-file.ts'
import { listUntrusted } from '../../platform/files/untrusted-folder.ts'
import { parseJson } from '../../platform/parse-json.ts'
import { readLines } from '../../platform/process/line-stream.ts'
import { jsonWithoutNul } from '../../platform/storable-text.ts'
import {
  type Conversation,
  mainThread,
  maxTranscriptBytes,
  type SubagentFacts,
  type TranscriptFile,
} from '../runtime.ts'
import { codexHome } from './codex-home.ts'

/** One file per thread: `sessions/YYYY/MM/DD/rollout-<time>-<thread>.jsonl`. */
export function rolloutFolder(conversation: Pick<Conversation, 'home'>): string {
  return join(codexHome(conversation), 'sessions')
}

type Rollout = { thread: string; path: string }

export async function findRollout(conversation: Conversation, thread: string): Promise<string | undefined> {
  return (await rollouts(conversation)).find((rollout) => rollout.thread === thread)?.path
}

/** The conversation's file and one for each subagent, which has a thread of its own. */
export function rolloutFiles() {
  // The facts about a subagent never change, and finding them means reading its parent's rollout.
  const known = new Map<string, SubagentFacts | undefined>()
  return async (conversation: Conversation): Promise<TranscriptFile[]> => {
    const all = await rollouts(conversation)
    const files: TranscriptFile[] = []
    for (const { thread, path } of all) {
      if (thread === conversation.id) files.push({ thread: mainThread, path })
      else {
        const subagent = known.get(path) ?? (await factsOf({ thread, path }, all, conversation.home))
        if (subagent?.tool_use_id) remember(known, path, subagent)
        if (subagent) files.push({ thread, path, subagent })
      }
    }
    return files
  }
}

/** Enough for the subagents of all active sessions. An evicted one is read again. */
const maxRemembered = 10_000

function remember<V>(known: Map<string, V>, key: string, value: V): void {
  known.set(key, value)
  const [oldest] = known.keys()
  if (known.size > maxRemembered && oldest !== undefined) known.delete(oldest)
}

async function rollouts(conversation: Pick<Conversation, 'home'>): Promise<Rollout[]> {
  const paths = await filesBelow(rolloutFolder(conversation), { within: conversation.home, depth: folderDepth })
  return paths.sort().flatMap((path) => {
    const thread = /^rollout-.+-([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.jsonl$/.exec(basename(path))?.[1]
    return thread === undefined ? [] : [{ thread, path }]
  })
}

/** Year, month, day. An agent can nest folders endlessly. */
const folderDepth = 3

async function filesBelow(folder: string, { within, depth }: { within: string; depth: number }): Promise<string[]> {
  const entries = await listUntrusted(folder, { within })
  const found = await Promise.all(
    entries.map(async ({ name, isFolder }) => {
      const path = join(folder, name)
      if (!isFolder) return [path]
      return depth === 0 ? [] : filesBelow(path, { within, depth: depth - 1 })
    }),
  )
  return found.flat()
}

const noFacts: SubagentFacts = { subagent_type: null, description: null, tool_use_id: null }

const Meta = z.object({
  payload: z.object({
    parent_thread_id: z.string(),
    agent_role: z.string().nullish(),
    agent_path: z.string().nullish(),
    agent_nickname: z.string().nullish(),
  }),
})

/** Undefined if the rollout is not a subagent's. */
async function factsOf(
  { thread, path }: Rollout,
  all: readonly Rollout[],
  home: string,
): Promise<SubagentFacts | undefined> {
  const meta = firstLine(path, home, (line) => line.includes('"session_meta"'))
  // The reader of the file reports why it is refused.
  const first = await meta.catch(ifUntrusted(null))
  if (first === null) return noFacts
  const { data } = Meta.safeParse(parseJson(first ?? ''))
  if (!data) return undefined
  const { parent_thread_id: parentId, agent_role: role, agent_path: place, agent_nickname: nickname } = data.payload
  const parent = all.find((rollout) => rollout.thread === parentId)
  return {
    subagent_type: role ?? null,
    // `/root/read_the_docs` is the task `read_the_docs` of the main agent.
    description: place?.split('/').at(-1)?.replaceAll('_', ' ') ?? nickname ?? null,
    tool_use_id: parent ? await callThatStarted(thread, parent.path, home).catch(ifUntrusted(null)) : null,
  }
}

const Spawned = z.object({ payload: z.object({ item: z.object({ id: z.string() }) }) })

/** The parent's rollout records the subagent's thread with the call that started it. */
async function callThatStarted(thread: string, parentPath: string, home: string): Promise<string | null> {
  const line = await firstLine(
    parentPath,
    home,
    (text) =>
      text.includes(thread) &&
      /"type":"(SubAgentActivity|CollabAgentToolCall)"/.test(text) &&
      text.includes('"item_completed"'),
  )
  return Spawned.safeParse(parseJson(line ?? '')).data?.payload.item.id ?? null
}

async function firstLine(
  path: string,
  within: string,
  matches: (line: string) => boolean,
): Promise<string | undefined> {
  for await (const line of rolloutLines(path, within)) {
    if (matches(line)) return line
  }
  return undefined
}

/** The lines of a file that an agent can write, without NUL, as they are stored. */
export async function* rolloutLines(path: string, within: string): AsyncGenerator<string> {
  const file = await openUntrusted(path, { within, maxBytes: maxTranscriptBytes })
  if (!file) return
  try {
    for await (const { text } of readLines(file.createReadStream({ autoClose: false }), { maxLineBytes }))
      yield jsonWithoutNul(text)
  } finally {
    await file.close()
  }
}

/** The lines that are looked for are shorter. */
const maxLineBytes = 1024 * 1024
