import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { writePrivateFile } from '../../platform/files/private-file.ts'
import { openUntrusted, readUntrusted } from '../../platform/files/untrusted-file.ts'
import type { Conversation } from '../runtime.ts'
import { projectFolder, sessionPaths } from './session-paths.ts'
import { findTranscript } from './transcript-files.ts'

/**
 * The flags that start or resume a conversation, decided by its transcript on disk. The CLI refuses to start a conversation
 * whose file exists, and to resume one whose file has no entry. An agent that is killed early leaves such a file.
 */
export async function conversationFlags(conversation: Conversation): Promise<readonly string[]> {
  const id = idOf(conversation)
  const path = await findTranscript(conversation)
  if (path !== undefined && (await truncatePartialLine(path, conversation))) {
    const isInProjectFolder = dirname(path) === (await projectFolder(conversation))
    return ['--resume', isInProjectFolder ? id : path]
  }
  // The transcript is lost. Resume anyway: the CLI's error tells the operator, a new conversation would hide it.
  if (path === undefined && (await lastStarted(conversation)) === id) return ['--resume', id]
  if (path !== undefined) await rm(path)
  return ['--session-id', id]
}

/** Records that the conversation has a transcript, so that a lost transcript is an error and not a new conversation. */
export async function recordStarted(conversation: Conversation): Promise<void> {
  const path = await findTranscript(conversation)
  if (path !== undefined) await writePrivateFile(sessionPaths(conversation).startedConversation, idOf(conversation))
}

async function lastStarted(conversation: Conversation): Promise<string | undefined> {
  return readUntrusted(sessionPaths(conversation).startedConversation, { within: conversation.home })
}

function idOf({ id }: Conversation): string {
  if (id === undefined) throw new Error('a conversation of runtime_alpha has an id before its first turn')
  return id
}

const newline = 0x0a
const chunkBytes = 64 * 1024

/**
 * Removes an incomplete last line: the CLI would append its next entry to that line and lose it. Returns whether the
 * transcript has an entry to resume from.
 */
async function truncatePartialLine(path: string, { home }: Conversation): Promise<boolean> {
  const file = await openUntrusted(path, { within: home, maxBytes: Number.POSITIVE_INFINITY, isWritten: true })
  if (!file) return false
  try {
    const { size } = await file.stat()
    let completeBytes = 0
    let hasEntry = false
    const chunk = Buffer.alloc(chunkBytes)
    // Backwards from the end: the last newline is near it, however long the transcript.
    for (let end = size; end > 0 && completeBytes === 0; end -= chunkBytes) {
      const start = Math.max(0, end - chunkBytes)
      const { bytesRead } = await file.read(chunk, 0, end - start, start)
      completeBytes = start + chunk.subarray(0, bytesRead).lastIndexOf(newline) + 1
      if (completeBytes <= start) completeBytes = 0
    }
    if (completeBytes < size) await file.truncate(completeBytes)
    for await (const line of file.readLines({ autoClose: false, start: 0 })) {
      hasEntry ||= line.includes('"parentUuid"')
      if (hasEntry) break
    }
    return hasEntry
  } finally {
    await file.close()
  }
}
