import { open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { readIfPresent, writePrivateFile } from '../../platform/files/private-file.ts'
import type { Conversation } from '../runtime.ts'
import { placesOf, projectFolder } from './session-paths.ts'
import { findTranscript } from './transcript-files.ts'

/**
 * The flags that begin a conversation or go on with it, by what is on disk. The CLI refuses to begin one whose file is
 * there, and to go on with one whose file has no entry yet: an agent that was killed early leaves just that.
 */
export async function beginningFlags(conversation: Conversation): Promise<readonly string[]> {
  const id = idOf(conversation)
  const path = await findTranscript(conversation)
  if (path !== undefined && (await mend(path))) {
    const isWhereExpected = dirname(path) === (await projectFolder(conversation))
    return ['--resume', isWhereExpected ? id : path]
  }
  // It had a transcript and has none: the CLI is asked all the same, and its answer is what the operator reads.
  if (path === undefined && (await readIfPresent(placesOf(conversation).begun)) === id) return ['--resume', id]
  if (path !== undefined) await rm(path)
  return ['--session-id', id]
}

/** So that a transcript that gets lost is missed, and not begun anew without a word. */
export async function noteBegun(conversation: Conversation): Promise<void> {
  const path = await findTranscript(conversation)
  if (path !== undefined) await writePrivateFile(placesOf(conversation).begun, idOf(conversation))
}

function idOf({ id }: Conversation): string {
  if (id === undefined) throw new Error('a conversation of runtime_alpha has an id from the beginning')
  return id
}

const newline = 0x0a
const chunkBytes = 64 * 1024

/**
 * Takes off a last line that broke off: the CLI would write its next entry behind it, on the same line, and lose it.
 * Answers whether there is any entry to go on from.
 */
async function mend(path: string): Promise<boolean> {
  const file = await open(path, 'r+')
  try {
    const { size } = await file.stat()
    let wholeBytes = 0
    let hasEntry = false
    const chunk = Buffer.alloc(chunkBytes)
    // From the end backwards: the last newline is near, however long the conversation is.
    for (let end = size; end > 0 && wholeBytes === 0; end -= chunkBytes) {
      const start = Math.max(0, end - chunkBytes)
      const { bytesRead } = await file.read(chunk, 0, end - start, start)
      wholeBytes = start + chunk.subarray(0, bytesRead).lastIndexOf(newline) + 1
      if (wholeBytes <= start) wholeBytes = 0
    }
    if (wholeBytes < size) await file.truncate(wholeBytes)
    for await (const line of file.readLines({ autoClose: false, start: 0 })) {
      hasEntry ||= line.includes('"parentUuid"')
      if (hasEntry) break
    }
    return hasEntry
  } finally {
    await file.close()
  }
}
