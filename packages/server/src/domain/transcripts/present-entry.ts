import { limits } from '@yardmaster/contract/limits'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { Entry, EntryPart } from '@yardmaster/contract/transcripts/entry-fields'
import { truncate } from '../../platform/truncate.ts'
import type { ContentPart, EntryContent } from './entry-content.ts'
import type { StartedSubagent, TurnSpan } from './entry-store.ts'

export type ReadEntry = { sequence: number; storedAt: Date; content: EntryContent }

/** What the entries of a page are related to. */
export type Links = {
  turns: readonly TurnSpan[]
  /** By the id of the call. */
  toolNames: ReadonlyMap<string | null, string | null>
  subagents: ReadonlyMap<string, StartedSubagent>
}

export function presentEntry({ sequence, storedAt, content }: ReadEntry, links: Links): Entry {
  return {
    sequence,
    at: formatTimestamp(storedAt),
    written_at: content.writtenAt,
    kind: content.kind,
    turn: turnAt(links.turns, storedAt),
    model: content.model,
    parts: content.parts.slice(0, limits.entryParts).map((part) => presentPart(part, links, limits.entryPartBytes)),
    part_count: content.parts.length,
  }
}

export function presentWholePart(part: ContentPart, links: Links): EntryPart {
  return presentPart(part, links, Number.POSITIVE_INFINITY)
}

/** A turn begins after the one before has ended, and ends after all its entries are stored. */
function turnAt(turns: readonly TurnSpan[], time: Date): number | null {
  const turn = turns.find(
    ({ dispatched_at, ended_at }) => dispatched_at <= time && (ended_at === null || time <= ended_at),
  )
  return turn?.number ?? null
}

function presentPart(part: ContentPart, { toolNames, subagents }: Links, maxBytes: number): EntryPart {
  const size = Buffer.byteLength(part.text)
  const subagent = part.type === 'tool_call' ? subagents.get(part.tool_use_id ?? '') : undefined
  return {
    ...part,
    text: size <= maxBytes ? part.text : startOf(part.text, maxBytes),
    size,
    is_cut: size > maxBytes,
    tool_name: part.type === 'tool_result' ? (toolNames.get(part.tool_use_id) ?? null) : part.tool_name,
    subagent: subagent ? presentSubagent(subagent) : null,
  }
}

/** Agents write the text, and every call with one id repeats it. */
const maxLabel = 200

function presentSubagent({ id, thread, description, subagent_type, status }: StartedSubagent): EntryPart['subagent'] {
  const label = [description, subagent_type].find((text) => text?.trim()) ?? 'Subagent'
  return { id, thread, label: truncate(label, maxLabel, '…'), status }
}

/** Leaves out a character that the bound splits. */
function startOf(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text.slice(0, maxBytes)).subarray(0, maxBytes)
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true })
}
