import type { KnownSecret } from './known-values.ts'
import { markerStart } from './placeholder.ts'
import { type Counts, openRedaction } from './redaction.ts'
import { openThreads, type Thread } from './redaction-threads.ts'
import type { Rule } from './rule.ts'
import { rules as allRules } from './rules.ts'

export type { KnownSecret } from './known-values.ts'

export type Redactor = {
  /** Redacts free text: logs, error texts, notifications, summaries. The number of lines stays the same. */
  text(text: string): Promise<string>
  /**
   * The redacted start of a text, about 8,000 characters, at once. For use in a transaction: its row locks must not wait for a
   * thread.
   */
  excerpt(text: string): string
  /**
   * Redacts adjacent lines of a transcript. Only the content of their strings changes, so JSON stays JSON. Other text
   * counts as free text.
   */
  lines(lines: readonly string[]): Promise<string[]>
  /** The number of markers written, by label. */
  counts(): Counts
  close(): Promise<void>
}

/** A thread is faster from about this length on, and the event loop is free again within milliseconds below it. */
const longestInline = 16 * 1024

/** More than any secret but a private key, whose start is recognised without its end. */
const longestSecret = 8 * 1024

const withheldLabel = 'WITHHELD'
const withheldText = `${markerStart}${withheldLabel}]`

/**
 * Redacts everything before it is stored (`redaction.ts`), long texts in threads of their own. It fails closed: a text
 * whose thread crashes or exceeds its budget is withheld, so that it is never stored as it is, and its session goes on.
 */
export function openRedactor({
  known,
  rules = allRules,
  onWithheld = () => undefined,
  thread,
}: {
  known: () => Iterable<KnownSecret>
  rules?: readonly Rule[]
  /** Called for each text that is withheld. */
  onWithheld?: (about: { characters: number; reason: string }) => void
  /** Overrides for tests. */
  thread?: Partial<Thread>
}): Redactor {
  const inline = openRedaction({ known, rules })
  const threads = openThreads({ rules, ...thread })
  const counts: Counts = new Map()
  const count = (label: string, times: number) => counts.set(label, (counts.get(label) ?? 0) + times)

  const inThread = async (lines: readonly string[]): Promise<string[]> => {
    const done = await threads.run(lines, [...known()])
    for (const [label, times] of done.counts) count(label, times)
    return done.lines
  }

  const orWithheld = async (text: string, withheld: string): Promise<string> => {
    try {
      const [redacted] = await inThread([text])
      return redacted ?? withheld
    } catch (error) {
      count(withheldLabel, 1)
      onWithheld({ characters: text.length, reason: String(error) })
      return withheld
    }
  }

  return {
    text: async (text) => (text.length <= longestInline ? inline.redact(text) : orWithheld(text, withheldText)),
    excerpt: (text) => {
      if (text.length <= longestInline) return inline.redact(text)
      // A secret that crosses the end of this part does not match its pattern, so the end is left out.
      const start = inline.redact(text.slice(0, longestInline))
      return `${start.slice(0, Math.max(0, start.length - longestSecret)).toWellFormed()}…`
    },
    async lines(lines) {
      if (lines.reduce((sum, line) => sum + line.length, 0) <= longestInline) return inline.redactLines(lines)
      try {
        if (lines.length > 1) return await inThread(lines)
      } catch {
        // One line failed, or there is no thread. Each line gets its own attempt, so that only a long one can be withheld.
      }
      const redacted: string[] = []
      for (const line of lines) {
        const isShort = line.length <= longestInline
        redacted.push(...(isShort ? inline.redactLines([line]) : [await orWithheld(line, withheldEntry(line))]))
      }
      return redacted
    },
    counts: () => {
      const all = inline.counts()
      for (const [label, times] of counts) all.set(label, (all.get(label) ?? 0) + times)
      return all
    },
    close: threads.close,
  }
}

/** Stands in a transcript for a line that could not be redacted. */
function withheldEntry(line: string): string {
  return JSON.stringify({ type: 'withheld_entry', characters: line.length, text: withheldText })
}
