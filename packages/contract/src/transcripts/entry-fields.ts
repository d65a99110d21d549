import { z } from 'zod'
import { Id } from '../identifiers.ts'
import { limits } from '../limits.ts'
import { clampedInteger } from '../query.ts'
import { sentAsText } from '../sent.ts'
import { subagentStatuses } from '../subagents/fields.ts'
import { Timestamp } from '../timestamp.ts'
import { wholeNumber } from '../whole-number.ts'

export const entryKinds = ['prompt', 'assistant', 'tool_result', 'notice', 'other', 'hidden'] as const
export type EntryKind = (typeof entryKinds)[number]

export const partTypes = ['text', 'thinking', 'tool_call', 'tool_result', 'image', 'other'] as const
export type PartType = (typeof partTypes)[number]

/** The subagent that a tool call started. */
export const EntrySubagent = z
  .object({
    id: Id,
    thread: z
      .string()
      .nullable()
      .meta({ description: 'The `thread` of its entries; null if a caller recorded the subagent.' }),
    label: z.string().meta({ description: 'Its description, else its type, else `Subagent`.' }),
    status: z.enum(subagentStatuses).nullable().meta({ description: 'Its outcome; null when unknown.' }),
  })
  .meta({ id: 'EntrySubagent' })

export const EntryPart = z
  .object({
    type: z
      .enum(partTypes)
      .meta({ description: 'What it is. `other`: a block of a kind that the service does not know.' }),
    text: z.string().meta({
      description:
        'The text; the input of a tool call, and an unknown block, as JSON. Empty for an image. Redacted. Of a part above 8 KB only the start.',
    }),
    size: z.int().meta({ description: 'Bytes of the whole text in UTF-8.' }),
    is_cut: z
      .boolean()
      .meta({ description: 'Whether `text` is only the start. The part by its number answers all of it.' }),
    tool_use_id: z.string().nullable().meta({ description: 'Links a tool call and its result. Null for other parts.' }),
    tool_name: z.string().nullable().meta({
      description: 'The tool. Of a result null if the call is on another page. Null for other parts.',
    }),
    summary: z
      .string()
      .nullable()
      .meta({
        description: 'Of a tool call: what it is about, in one line of at most 200 characters. Else null.',
        examples: ['npm test'],
      }),
    is_error: z.boolean().nullable().meta({ description: 'Of a tool result: whether the call failed. Else null.' }),
    subagent: EntrySubagent.nullable().meta({
      description: 'Of a tool call: the subagent that it started, where known.',
    }),
  })
  .meta({ id: 'EntryPart' })

export type EntryPart = z.infer<typeof EntryPart>

export const Entry = z
  .object({
    sequence: z.int().meta({ description: 'Its place in the thread, from 1 and without gaps. It never changes.' }),
    at: Timestamp.meta({ description: 'When it was stored.' }),
    written_at: z
      .string()
      .nullable()
      .meta({
        description: 'When the agent says that it wrote it, with milliseconds. Null if it does not say.',
        format: 'date-time',
        examples: ['2026-08-22T18:09:42.120Z'],
      }),
    kind: z.enum(entryKinds).meta({
      description:
        '`prompt`: what the agent was told. `notice`: written by the runtime, not by a person. `hidden`: a line with nothing to show.',
    }),
    turn: z.int().nullable().meta({
      description:
        'The number of the turn in which it was stored. Null for copied entries and turns that are not kept.',
    }),
    model: z.string().nullable().meta({ description: 'The model that wrote it, where the agent says so.' }),
    parts: z.array(EntryPart).meta({ description: 'What it is made of, at most the first 100 parts.' }),
    part_count: z.int().meta({ description: 'How many parts it has.' }),
  })
  .meta({ id: 'Entry' })

export type Entry = z.infer<typeof Entry>

export const EntryPage = z.object({
  entries: z.array(Entry).meta({
    description: 'In order. Fewer than `limit` at either end of the thread, or if they hold more than 4 MB.',
  }),
  first: z.int().nullable().meta({ description: 'The sequence of the first one; null for an empty page.' }),
  last: z.int().nullable().meta({ description: 'The sequence of the last one; null for an empty page.' }),
  total: z.int().meta({ description: 'Entries of the thread, which is also the sequence of its last one.' }),
})

export type EntryPage = z.infer<typeof EntryPage>

export const Thread = z
  .string()
  .optional()
  .transform((value) => value || 'main')
  .meta({ type: 'string', description: "`main`, or a subagent's thread.", default: 'main' })

/** Sequences are 32-bit. */
const lastSequence = 2 ** 31 - 1

const place = (description: string) =>
  sentAsText<number | string>()
    .optional()
    .transform((value, context) => {
      if (value === undefined || value === '') return undefined
      const number = wholeNumber(value)
      if (number !== undefined) return Math.min(number, lastSequence)
      context.addIssue({ code: 'custom', message: 'must be a whole number of 0 or more' })
      return z.NEVER
    })
    .meta({ type: 'integer', minimum: 0, description })

/** Which page: the last one unless one of three places is named. */
export const EntryQuery = z
  .object({
    thread: Thread,
    before: place('The page that ends before this sequence.'),
    after: place('The page that begins after this sequence.'),
    around: place('The page with this sequence in its middle.'),
    limit: sentAsText<number | string>()
      .optional()
      .transform((value) => clampedInteger(value, { ...limits.entryPage, fallback: limits.entryPage.default }))
      .meta({ type: 'integer', description: 'Entries of a page, 1 to 500.', default: limits.entryPage.default }),
  })
  .superRefine(({ before, after, around }, context) => {
    const [first, second] = Object.entries({ before, after, around }).flatMap(([name, value]) =>
      value === undefined ? [] : name,
    )
    if (second === undefined) return
    context.addIssue({ code: 'custom', path: [second], message: `cannot be given together with ${first}` })
  })

export type EntryQuery = z.output<typeof EntryQuery>
