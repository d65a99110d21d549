import { replaceEqualDeep } from '@tanstack/react-query'
import type { Entry, EntryPart } from './use-entries.ts'

/** A tool call with its result, where both are loaded. */
export type ToolCall = {
  kind: 'call'
  key: string
  sequence: number
  name: string
  summary: string
  input: Located | undefined
  result: Located | undefined
  startedAt: string | null
  endedAt: string | null
}

/** A part of an entry, and where it is. */
export type Located = { sequence: number; index: number; part: EntryPart }
export type Thought = { kind: 'thought'; key: string; sequence: number; text: Located }

type Common = { key: string; first: number; last: number }

/** What the transcript shows as one block. Keys stay the same while entries are added at either end. */
export type Row = Common &
  (
    | { type: 'turn'; number: number }
    | {
        type: 'message'
        by: 'person' | 'agent' | 'runtime'
        text: Located
        entry: Entry
        /** Whether the row before it is by the same agent in the same turn, so that its name is not repeated. */
        isContinued: boolean
      }
    | { type: 'tools'; items: readonly (ToolCall | Thought)[] }
    | { type: 'subagent'; call: ToolCall; subagent: NonNullable<EntryPart['subagent']> }
    | { type: 'block'; text: Located }
  )

type Group = Common & { type: 'tools'; items: (ToolCall | Thought)[] }

const speakers = { prompt: 'person', assistant: 'agent', notice: 'runtime' } as const

/**
 * The rows of the loaded entries. Calls and thoughts that follow each other are one row, and a result belongs to its call.
 * `hasOlder`: rows that may begin in entries which are not loaded are left out until those are, so that no row changes when
 * they are added above.
 */
export function rowsOf(entries: readonly Entry[], { hasOlder }: { hasOlder: boolean }): readonly Row[] {
  const rows: Row[] = []
  const calls = new Map<string, ToolCall>()
  let group: Group | undefined
  let turn = hasOlder ? entries[0]?.turn : undefined

  const add = (row: Row) => {
    group = undefined
    rows.push(row)
  }
  const addToGroup = (item: ToolCall | Thought) => {
    // At fixed places, so that a long group is the same whatever is loaded before it.
    if (!group || chunkOf(group.last) !== chunkOf(item.sequence)) {
      group = { type: 'tools', key: `g${item.key}`, first: item.sequence, last: item.sequence, items: [] }
      rows.push(group)
    }
    group.items.push(item)
    group.last = item.sequence
  }
  const addCall = (entry: Entry, located: Located) => {
    const { part, index } = located
    const call: ToolCall = {
      kind: 'call',
      key: `${entry.sequence}.${index}`,
      sequence: entry.sequence,
      name: part.tool_name ?? 'Tool',
      summary: part.summary ?? '',
      input: located,
      result: undefined,
      startedAt: entry.written_at,
      endedAt: null,
    }
    if (part.tool_use_id) calls.set(part.tool_use_id, call)
    if (!part.subagent) return addToGroup(call)
    const common = { key: `s${call.key}`, first: entry.sequence, last: entry.sequence }
    add({ type: 'subagent', ...common, call, subagent: part.subagent })
  }
  const addResult = (entry: Entry, located: Located) => {
    const call = calls.get(located.part.tool_use_id ?? '')
    if (call && !call.result) {
      call.result = located
      call.endedAt = entry.written_at
      if (group) group.last = entry.sequence
      return
    }
    addToGroup({
      kind: 'call',
      key: `${entry.sequence}.${located.index}`,
      sequence: entry.sequence,
      name: located.part.tool_name ?? 'Result',
      summary: '',
      input: undefined,
      result: located,
      startedAt: null,
      endedAt: entry.written_at,
    })
  }

  for (const entry of entries) {
    if (entry.kind === 'hidden') continue
    const { sequence } = entry
    if (entry.turn !== null && entry.turn !== turn) {
      turn = entry.turn
      add({ type: 'turn', key: `t${turn}-${sequence}`, number: turn, first: sequence, last: sequence })
    }
    for (const [index, part] of entry.parts.entries()) {
      const located = { sequence, index, part }
      const common = { key: `e${sequence}.${index}`, first: sequence, last: sequence }
      if (part.type === 'tool_call') addCall(entry, located)
      else if (part.type === 'tool_result') addResult(entry, located)
      else if (part.type === 'thinking') addToGroup({ kind: 'thought', key: common.key, sequence, text: located })
      else if (part.type === 'text' && entry.kind in speakers) {
        if (part.text.trim() === '') continue
        const by = speakers[entry.kind as keyof typeof speakers]
        const before = rows.at(-1)
        const isContinued = by === 'agent' && before?.type === 'message' && before.by === by
        add({ type: 'message', ...common, by, text: located, entry, isContinued })
      } else add({ type: 'block', ...common, text: located })
    }
  }
  // A group at the start may continue one that is not loaded.
  return hasOlder && rows.length > 1 && rows[0]?.type === 'tools' ? rows.slice(1) : rows
}

/** The rows, with those of before in place of equal ones: a row that is the same object is not drawn again. */
export function keepEqual(rows: readonly Row[], before: readonly Row[]): readonly Row[] {
  const known = new Map(before.map((row) => [row.key, row]))
  // Entries are the same objects while they are loaded, so that this looks at a few fields of each row.
  return rows.map((row) => replaceEqualDeep(known.get(row.key), row))
}

/** Entries of the longest group. */
const groupSpan = 100

function chunkOf(sequence: number): number {
  return Math.floor(sequence / groupSpan)
}

/** The row that shows an entry, or else the next one. */
export function rowIndexOf(rows: readonly Row[], sequence: number): number {
  const exact = rows.findIndex(({ first, last, type }) => type !== 'turn' && first <= sequence && sequence <= last)
  return exact >= 0 ? exact : rows.findIndex(({ last }) => last >= sequence)
}
