import { openUntrusted } from '../../platform/files/untrusted-file.ts'
import { parseJson } from '../../platform/parse-json.ts'
import { jsonWithoutNul } from '../../platform/storable-text.ts'
import { withoutLastWord } from '../../platform/whole-words.ts'
import { maxTranscriptBytes } from '../../runtimes/runtime.ts'

export type TranscriptLine = {
  text: string
  /** The byte at which the next line starts. */
  endsAtByte: number
  /** Whether the agent died while it wrote the line. `text` is a marker entry then. */
  isTorn: boolean
}

/** A file that an agent writes, and the folder that it must be in. */
export type AgentFile = { path: string; within: string }

type Reading = {
  fromByte: number
  /** Whether no agent writes the file any more: then text after the last newline is a torn line. */
  isOver?: boolean
}

/** A longer line is stored as a marker entry with the start of the line, which bounds memory without failing the turn. */
const maxLineBytes = 8 * 1024 * 1024
const markedHeadBytes = 64 * 1024
const chunkBytes = 256 * 1024
const newline = 0x0a

/**
 * The lines of a growing file from `fromByte` on. While the agent runs, text after the last newline is skipped: the agent
 * may still be writing that line.
 *
 * @throws UntrustedFile for a pipe, a device, a folder, a link or a file of impossible size.
 */
export async function* transcriptLinesOf(
  { path, within }: AgentFile,
  { fromByte, isOver = false }: Reading,
): AsyncGenerator<TranscriptLine> {
  const file = await openUntrusted(path, { within, maxBytes: maxTranscriptBytes })
  if (!file) return
  try {
    let kept: Buffer[] = []
    let keptBytes = 0
    let lineBytes = 0
    let position = fromByte
    const chunk = Buffer.allocUnsafe(chunkBytes)
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, chunkBytes, position)
      if (bytesRead === 0) break
      let start = 0
      for (
        let end = chunk.indexOf(newline, start);
        end !== -1 && end < bytesRead;
        end = chunk.indexOf(newline, start)
      ) {
        lineBytes += end - start
        if (keptBytes < maxLineBytes) kept.push(chunk.subarray(start, end))
        yield { text: toText(kept, lineBytes), endsAtByte: position + end + 1, isTorn: false }
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
    if (isOver && lineBytes > 0) yield lastLine(kept, lineBytes, position)
  } finally {
    await file.close()
  }
}

/**
 * Ends a torn line in the agent's file, so that the next agent's first entry gets a line of its own. Called after the torn
 * line is stored: a crash in between is repaired by the next call, which finds nothing to store.
 */
export async function endLastLine({ path, within }: AgentFile): Promise<void> {
  const file = await openUntrusted(path, { within, maxBytes: maxTranscriptBytes, isWritten: true })
  if (!file) return
  try {
    const { size } = await file.stat()
    if (size === 0) return
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
    if (buffer[0] !== newline) await file.write('\n', size)
  } finally {
    await file.close()
  }
}

/** An agent may leave out the newline of its last line; such a line is whole. */
function lastLine(parts: Buffer[], lineBytes: number, endsAtByte: number): TranscriptLine {
  const text = toText(parts, lineBytes)
  if (lineBytes <= maxLineBytes && parseJson(text) !== undefined) return { text, endsAtByte, isTorn: false }
  return { text: marker('torn_entry', parts, lineBytes), endsAtByte, isTorn: true }
}

/** Replaces invalid UTF-8 and every NUL by the replacement character. */
function toText(parts: Buffer[], lineBytes: number): string {
  if (lineBytes > maxLineBytes) return marker('truncated_entry', parts, lineBytes)
  const bytes = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
  return jsonWithoutNul(bytes.toString('utf8'))
}

/** A JSON entry in place of a line that is not stored as it is. */
function marker(type: 'truncated_entry' | 'torn_entry', parts: Buffer[], lineBytes: number): string {
  const start = Buffer.concat(parts).subarray(0, markedHeadBytes).toString('utf8')
  const head = jsonWithoutNul(lineBytes > markedHeadBytes ? withoutLastWord(start) : start)
  return JSON.stringify({ type, bytes: lineBytes, head })
}
