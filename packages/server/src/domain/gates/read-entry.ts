import type { Gate } from '@yardmaster/contract/gates/fields'
import type { JsonObject } from '@yardmaster/contract/json'
import { limits } from '@yardmaster/contract/limits'
import { z } from 'zod'
import { truncate } from '../../platform/truncate.ts'

const { gateDecision: max } = limits

/** The key that names the artifact in an entry of each gate. */
const artifactKeys: Record<Gate, string> = { pr_merge: 'pr', issue_work: 'issue' }

/** Copies what lists and filters need out of an entry. An entry has no fixed form, so what is missing is null. */
export function readEntry(gate: Gate, entry: JsonObject) {
  return {
    artifact_url: addressIn(entry[artifactKeys[gate]]),
    producing_session_url: addressIn(entry.producing_session) ?? addressIn(entry.spawned_session),
    decision: textIn(entry.decision, max.decision),
    title: textIn(entry.title, max.title),
    decided_on: dayIn(entry.decided_at),
  }
}

/** Without `human_feedback`, however deep and however written: only people give feedback. */
export function withoutFeedback<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutFeedback) as Value // as long, of the same kind
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  const kept = Object.entries(value).filter(([key]) => key.toLowerCase() !== 'human_feedback')
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutFeedback(inner)])) as Value // fewer keys, as documented
}

/** Every key and value on a line of its own, in lower case. */
export function searchedText(value: unknown): string {
  const lines: string[] = []
  const visit = (inner: unknown): void => {
    if (Array.isArray(inner)) for (const each of inner) visit(each)
    else if (typeof inner === 'object' && inner !== null && Object.getPrototypeOf(inner) === Object.prototype)
      for (const [key, each] of Object.entries(inner)) {
        lines.push(key)
        visit(each)
      }
    else lines.push(String(inner))
  }
  visit(value)
  return lines.join('\n').toLowerCase()
}

/** The first address in a text, without the punctuation of the sentence around it. Counted in bytes, as its index does. */
function addressIn(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const [address] = /https?:\/\/[^\s<>"'\\]+/i.exec(value) ?? []
  const trimmed = address?.replace(/[.,;:)\]]+$/, '')
  return trimmed === undefined || Buffer.byteLength(trimmed) > max.url ? null : trimmed
}

function textIn(value: unknown, most: number): string | null {
  return typeof value === 'string' && value.trim() !== '' ? truncate(value.trim(), most, '') : null
}

/** The day of an ISO date or time, as it is written. PostgreSQL knows no year 0. */
function dayIn(value: unknown): string | null {
  if (typeof value !== 'string' || value.startsWith('0000')) return null
  const isTime = z.iso.datetime({ offset: true, local: true }).safeParse(value).success
  return isTime || z.iso.date().safeParse(value).success ? value.slice(0, 10) : null
}
