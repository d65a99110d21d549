import { replaceReferences } from '@yardmaster/contract/attachments/reference'
import { limits } from '@yardmaster/contract/limits'
import { truncate } from '../../platform/truncate.ts'
import type { SessionMetadata } from '../sessions/session.ts'

const titleLength = 60

/**
 * The first sentence of the prompt, with the names of files in place of their references. A line end ends a sentence; the dot in `v1.2`
 * does not. Blank for a blank prompt.
 */
export function titleFromPrompt(prompt: string): string {
  const [line = ''] = replaceReferences(prompt, ({ name }) => name)
    .trim()
    .split(/[\r\n]+/)
  const [sentence = ''] = line.split(/(?<=[^\s.!?])[.!?]+(?=\s|$)/)
  return shorten(sentence.trim(), titleLength)
}

/** The reason of the failure in one line. */
export function titleFromFailure({ exit_status: detail, failure_reason: reason }: SessionMetadata): string {
  const [line = ''] = detail?.trim().split(/[\r\n]+/) ?? []
  const known = reason !== undefined ? `Failed: ${reason.replaceAll('_', ' ')}` : 'Failed'
  return shorten(line.trim() || known, limits.title)
}

/** Without a space before the dots. */
function shorten(text: string, max: number): string {
  const short = truncate(text, max)
  return short === text ? text : short.replace(/\s+\.{3}$/, '...')
}
