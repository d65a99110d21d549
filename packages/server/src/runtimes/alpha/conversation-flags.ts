import { dirname } from 'node:path'
import { readUntrusted } from '../../platform/files/untrusted-file.ts'
import { removeUntrusted, writeUntrusted } from '../../platform/files/untrusted-folder.ts'
import type { Conversation } from '../runtime.ts'
import { projectFolder, sessionPaths } from './session-paths.ts'
import { findTranscript, transcriptPlaces } from './transcript-files.ts'

/**
 * The flags that start or resume a conversation, decided by its transcript on disk. The CLI refuses to start a conversation
 * whose file exists, and to resume one whose file has no entry. An agent that is killed early leaves such a file.
 */
export async function conversationFlags(conversation: Conversation): Promise<readonly string[]> {
  const id = idOf(conversation)
  const path = await findTranscript(conversation)
  if (path !== undefined) {
    const isInProjectFolder = dirname(path) === (await projectFolder(conversation))
    return ['--resume', isInProjectFolder ? id : path]
  }
  // The transcript is lost. Resume anyway: the CLI's error tells the operator, a new conversation would hide it.
  if ((await lastStarted(conversation)) === id) return ['--resume', id]
  for (const leftover of await transcriptPlaces(conversation)) {
    await removeUntrusted(leftover, { within: conversation.home })
  }
  return ['--session-id', id]
}

/** Records that the conversation has a transcript, so that a lost transcript is an error and not a new conversation. */
export async function recordStarted(conversation: Conversation): Promise<void> {
  const path = await findTranscript(conversation)
  if (path === undefined) return
  const { startedConversation } = sessionPaths(conversation)
  await writeUntrusted(startedConversation, idOf(conversation), { within: conversation.home })
}

async function lastStarted(conversation: Conversation): Promise<string | undefined> {
  return readUntrusted(sessionPaths(conversation).startedConversation, { within: conversation.home })
}

function idOf({ id }: Conversation): string {
  if (id === undefined) throw new Error('a conversation of runtime_alpha has an id before its first turn')
  return id
}
