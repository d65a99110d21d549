import { type Fields, fieldsIn, fieldsOf, stringOf } from './fields.ts'

/** The parts of an entry that show which tool calls are open. The text is not kept. */
export type WrittenEntry = {
  uuid: string
  parent: string | undefined
  /** The model's message that this entry is a block of. */
  messageId: string | undefined
  calls: readonly string[]
  results: readonly string[]
  isMessage: boolean
  beginsAtByte: number
}

export function writtenEntry(entry: Fields, beginsAtByte: number): WrittenEntry {
  const message = fieldsOf(entry.message)
  const blocks = fieldsIn(message?.content)
  return {
    uuid: stringOf(entry.uuid) ?? '',
    parent: stringOf(entry.parentUuid),
    messageId: stringOf(message?.id),
    calls: blocks.filter(({ type }) => type === 'tool_use').flatMap(({ id }) => stringOf(id) ?? []),
    results: blocks.filter(({ type }) => type === 'tool_result').flatMap(({ tool_use_id: id }) => stringOf(id) ?? []),
    isMessage: (entry.type === 'user' || entry.type === 'assistant') && entry.isSidechain !== true,
    beginsAtByte,
  }
}

/**
 * The byte at which to cut the transcript so that it does not end in a tool call without a result, which a model rejects.
 * Undefined if there is no such call. The message with the call is cut as a whole. Calls that a killed agent left open earlier
 * do not matter: they are not on the parent chain of the last entry.
 */
export function openCallsCutAt(entries: readonly WrittenEntry[]): number | undefined {
  let kept = entries
  for (;;) {
    const open = firstOpen(kept)
    if (!open) break
    const begin = kept.findIndex((entry) => entry === open || (open.messageId && entry.messageId === open.messageId))
    kept = kept.slice(0, begin)
  }
  return kept.length === entries.length ? undefined : entries[kept.length]?.beginsAtByte
}

/** The earliest open entry on the parent chain of the last one. A message is several entries; the chain may skip some. */
function firstOpen(entries: readonly WrittenEntry[]): WrittenEntry | undefined {
  const answered = new Set(entries.flatMap(({ results }) => results))
  const isOpen = (entry: WrittenEntry): boolean => entry.calls.some((call) => !answered.has(call))
  const openMessages = new Set(entries.filter(isOpen).flatMap(({ messageId }) => messageId ?? []))
  const byUuid = new Map(entries.map((entry) => [entry.uuid, entry]))
  const seen = new Set<WrittenEntry>()
  let open: WrittenEntry | undefined
  for (
    let entry = entries.findLast(({ isMessage }) => isMessage);
    entry && !seen.has(entry);
    entry = entry.parent === undefined ? undefined : byUuid.get(entry.parent)
  ) {
    seen.add(entry)
    if (isOpen(entry) || (entry.messageId !== undefined && openMessages.has(entry.messageId))) open = entry
  }
  return open
}
