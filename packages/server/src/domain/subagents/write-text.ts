import { createHash } from 'node:crypto'
import type { Transaction } from '../../platform/db/database.ts'
import type { Redactor } from '../../platform/redaction/redactor.ts'
import { appendPiece, deletePieces, type Subagent, type SubagentChanges } from './subagent-store.ts'

/**
 * Callers always send the whole text, and all of it is redacted before it comes here: a secret that was split at the end
 * of the last text is complete in this one. If the text continues the stored one, only the new part is written.
 */
export async function writeText(tx: Transaction, subagent: Subagent, text: string | null): Promise<SubagentChanges> {
  const { id, text_length: storedLength, text_sha256: stored } = subagent
  if (text === null) {
    await deletePieces(tx, id)
    return { text_length: null, text_sha256: null }
  }
  const isContinuation =
    storedLength !== null && text.length >= storedLength && sha256(text.slice(0, storedLength)) === stored
  if (!isContinuation) await deletePieces(tx, id)
  const added = isContinuation ? text.slice(storedLength) : text
  if (added !== '') await appendPiece(tx, id, added)
  return { text_length: text.length, text_sha256: sha256(text) }
}

/** Redacts line by line, so that JSON stays valid. Plain text is also redacted as a whole: a private key spans lines. */
export async function redactTranscript(
  redactor: Redactor,
  text: string | null | undefined,
): Promise<string | null | undefined> {
  if (!text) return text
  const lines = text.split('\n')
  const redacted = (await redactor.lines(lines)).join('\n')
  const isJsonLines = lines.every((line) => line.trim() === '' || line.startsWith('{'))
  return isJsonLines ? redacted : redactor.text(redacted)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
