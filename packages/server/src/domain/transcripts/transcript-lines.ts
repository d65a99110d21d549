import { type FileHandle, open } from 'node:fs/promises'
import { jsonWithoutNul } from '../../platform/storable-text.ts'

export type TranscriptLine = {
  text: string
  /** The byte at which the next line starts. */
  endsAtByte: number
}

/** A longer line is stored as a marker entry with the start of the line, which bounds memory without failing the turn. */
const maxLineBytes = 8 * 1024 * 1024
const truncatedHeadBytes = 64 * 1024
const chunkBytes = 256 * 1024
const newline = 0x0a

/**
 * The complete lines of a growing file from `fromByte` on. Text after the last newline is skipped: the agent may still be
 * writing that line, or died while writing it.
 */
export async function* completeLines(path: string, fromByte: number): AsyncGenerator<TranscriptLine> {
  const file = await openIfPresent(path)
  if (!file) return
  try {
    let kept: Buffer[] = []
    let keptBytes = 0
    let lineBytes = 0
    let position = fromByte
    const chunk = Buffer.allocUnsafe(chunkBytes)
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, chunkBytes, position)
      if (bytesRead === 0) return
      let start = 0
      for (
        let end = chunk.indexOf(newline, start);
        end !== -1 && end < bytesRead;
        end = chunk.indexOf(newline, start)
      ) {
        lineBytes += end - start
        if (keptBytes < maxLineBytes) kept.push(chunk.subarray(start, end))
        yield { text: toText(kept, lineBytes), endsAtByte: position + end + 1 }
        kept = []
        keptBytes = 0
        lineBytes = 0
        start = end + 1
      }
      // Copied, because the next read overwrites the chunk.
      if (keptBytes < maxLineBytes) kept.push(Buffer.from(chunk.subarray(start, bytesRead)))
      keptBytes += bytesRead - start
      lineBytes += bytesRead - start
      position += bytesRead
    }
  } finally {
    await file.close()
  }
}

async function openIfPresent(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Replaces invalid UTF-8 and every NUL by the replacement character. */
function toText(parts: Buffer[], lineBytes: number): string {
  const bytes = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
  if (lineBytes <= maxLineBytes) return jsonWithoutNul(bytes.toString('utf8'))
  const head = jsonWithoutNul(bytes.subarray(0, truncatedHeadBytes).toString('utf8'))
  return JSON.stringify({ type: 'truncated_entry', bytes: lineBytes, head })
}
