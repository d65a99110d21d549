import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ifUntrusted, readUntrusted } from '../../platform/files/untrusted-file.ts'
import { errnoOf } from '../../platform/process/errno.ts'
import { type Conversation, mainThread, type SubagentFacts, type TranscriptFile } from '../runtime.ts'
import { parseFields, stringOf } from './fields.ts'
import { sessionPaths } from './session-paths.ts'

/** The conversation's file and one for each subagent, in whichever project folder the CLI put them. */
export async function transcriptFiles(conversation: Conversation): Promise<TranscriptFile[]> {
  const main = await findTranscript(conversation)
  const subagents = await findSubagents(conversation)
  return [...(main === undefined ? [] : [{ thread: mainThread, path: main }]), ...subagents]
}

/** Searches by id in every project folder: the CLI's rule for folder names may change. */
export async function findTranscript(conversation: Conversation): Promise<string | undefined> {
  const found: { path: string; modifiedMs: number }[] = []
  for (const folder of await projectFolders(conversation)) {
    const path = join(folder, `${conversation.id}.jsonl`)
    const file = await stat(path).catch(absent)
    if (file?.isFile()) found.push({ path, modifiedMs: file.mtimeMs })
  }
  return found.sort((a, b) => b.modifiedMs - a.modifiedMs)[0]?.path
}

async function projectFolders(conversation: Conversation): Promise<string[]> {
  const { projects } = sessionPaths(conversation)
  return conversation.id === undefined ? [] : (await namesIn(projects)).map((name) => join(projects, name))
}

async function findSubagents(conversation: Conversation): Promise<TranscriptFile[]> {
  const found: TranscriptFile[] = []
  for (const project of await projectFolders(conversation)) {
    const folder = join(project, `${conversation.id}`, 'subagents')
    const names = (await namesIn(folder)).filter((name) => name.startsWith('agent-') && name.endsWith('.jsonl'))
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

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(absent)) ?? []
}

function absent(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) throw error
}
