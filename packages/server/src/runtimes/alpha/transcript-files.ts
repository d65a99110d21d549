import type { FileHandle } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ifUntrusted, openUntrusted, readUntrusted } from '../../platform/files/untrusted-file.ts'
import { listUntrusted } from '../../platform/files/untrusted-folder.ts'
import {
  type Conversation,
  mainThread,
  maxTranscriptBytes,
  type SubagentFacts,
  type TranscriptFile,
} from '../runtime.ts'
import { parseFields, stringOf } from './fields.ts'
import { sessionPaths } from './session-paths.ts'

/** The conversation's file and one for each subagent, in whichever project folder the CLI put them. */
export async function transcriptFiles(conversation: Conversation): Promise<TranscriptFile[]> {
  const main = await findTranscript(conversation)
  const subagents = await findSubagents(conversation)
  return [...(main === undefined ? [] : [{ thread: mainThread, path: main }]), ...subagents]
}

/**
 * Searches by id in every project folder: the CLI's rule for folder names may change. A file without an entry is no
 * transcript: the CLI does not resume from it, and the next turn replaces it.
 */
export async function findTranscript(conversation: Conversation): Promise<string | undefined> {
  const found: { path: string; modifiedMs: number }[] = []
  for (const path of await transcriptPlaces(conversation)) {
    const file = await openUntrusted(path, { within: conversation.home, maxBytes: maxTranscriptBytes })
    try {
      if (file && (await hasEntry(file))) found.push({ path, modifiedMs: (await file.stat()).mtimeMs })
    } finally {
      await file?.close()
    }
  }
  return found.sort((a, b) => b.modifiedMs - a.modifiedMs)[0]?.path
}

/** The paths at which the conversation's file may be. */
export async function transcriptPlaces(conversation: Conversation): Promise<string[]> {
  return (await projectFolders(conversation)).map((folder) => join(folder, `${conversation.id}.jsonl`))
}

/** Every entry of the conversation has this field. The CLI's bookkeeping does not, and an escaped quotation does not match. */
const entryField = '"parentUuid"'

/** Whether a whole line has the field. It is near the start of the file. */
async function hasEntry(file: FileHandle): Promise<boolean> {
  let isSeen = false
  let end = ''
  for await (const chunk of file.createReadStream({ start: 0, autoClose: false, encoding: 'latin1' })) {
    const text = `${end}${chunk}`
    const at: number = isSeen ? 0 : text.indexOf(entryField)
    if (at !== -1 && text.includes('\n', at)) return true
    isSeen ||= at !== -1
    end = text.slice(-entryField.length)
  }
  return false
}

async function projectFolders(conversation: Conversation): Promise<string[]> {
  const { projects } = sessionPaths(conversation)
  return conversation.id === undefined
    ? []
    : (await foldersIn(projects, conversation)).map((name) => join(projects, name))
}

async function findSubagents(conversation: Conversation): Promise<TranscriptFile[]> {
  const found: TranscriptFile[] = []
  for (const project of await projectFolders(conversation)) {
    const folder = join(project, `${conversation.id}`, 'subagents')
    const names = (await namesIn(folder, conversation)).filter(
      (name) => name.startsWith('agent-') && name.endsWith('.jsonl'),
    )
    for (const thread of names.map((name) => basename(name, '.jsonl'))) {
      const facts = readUntrusted(join(folder, `${thread}.meta.json`), { within: conversation.home })
      const subagent = readFacts(await facts.catch(ifUntrusted(undefined)))
      found.push({ thread, path: join(folder, `${thread}.jsonl`), ...(subagent && { subagent }) })
    }
  }
  return found
}

function readFacts(text: string | undefined): SubagentFacts | undefined {
  const facts = text === undefined ? undefined : parseFields(text)
  if (!facts) return undefined
  return {
    subagent_type: stringOf(facts.agentType) ?? null,
    description: stringOf(facts.description) ?? null,
    tool_use_id: stringOf(facts.toolUseId) ?? null,
  }
}

async function namesIn(folder: string, { home }: Conversation): Promise<string[]> {
  return (await listUntrusted(folder, { within: home })).map(({ name }) => name)
}

async function foldersIn(folder: string, { home }: Conversation): Promise<string[]> {
  const entries = await listUntrusted(folder, { within: home })
  return entries.flatMap(({ name, isFolder }) => (isFolder ? [name] : []))
}
