import { join } from 'node:path'
import { readUntrusted } from '../../platform/files/untrusted-file.ts'
import { removeUntrusted, writeUntrusted } from '../../platform/files/untrusted-folder.ts'
import type { Conversation } from '../runtime.ts'

/** This session's CODEX_HOME, with codex's configuration, login and conversations. */
export function codexHome({ home }: Pick<Conversation, 'home'>): string {
  return join(home, '.codex')
}

/**
 * Notes for the next turn.
 *
 * `named-thread` is the id of a thread that has no rollout yet. A crash between naming the thread and its first turn leaves an
 * id that codex does not know; the next turn then starts a new thread and loses nothing.
 *
 * `slow-servers` are the MCP servers that had not started when the last turn began, one per line.
 *
 * `instructions` are the last ones that the thread got. If the note is missing, codex reads them when it opens the thread.
 */
type Note = 'named-thread' | 'instructions' | 'slow-servers'

export async function readNote(conversation: Conversation, name: Note): Promise<string | undefined> {
  return readUntrusted(notePath(conversation, name), { within: conversation.home })
}

export async function writeNote(conversation: Conversation, name: Note, text: string): Promise<void> {
  await writeUntrusted(notePath(conversation, name), text, { within: conversation.home })
}

export async function removeNote(conversation: Conversation, name: Note): Promise<void> {
  await removeUntrusted(notePath(conversation, name), { within: conversation.home })
}

function notePath(conversation: Conversation, name: Note): string {
  return join(codexHome(conversation), `yardmaster-${name}`)
}
