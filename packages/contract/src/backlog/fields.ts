import { z } from 'zod'
import { ActingSessionId } from '../acting-session.ts'
import { filterValues } from '../filter-values.ts'
import { Id, toExactId } from '../identifiers.ts'
import { JsonObject } from '../json.ts'
import { limits } from '../limits.ts'
import { queryBoolean, queryWord } from '../query.ts'
import { optionallySent, refuseField, sent, sentAsText } from '../sent.ts'
import { Session } from '../sessions/fields.ts'
import { text } from '../text.ts'
import { Timestamp } from '../timestamp.ts'
import { deadReasons, estimatedCosts, itemStatuses, livenesses, scopeDirections } from './vocabulary.ts'

const { backlog: max } = limits

export const WorkBacklogItem = z
  .object({
    id: Id,
    key: z.string().meta({ description: 'Names the work; unique among queued items.', examples: ['web#498'] }),
    issue_url: z.string().nullable().meta({ description: 'The issue to implement; null for work without one.' }),
    repo: z.string().meta({ description: 'The repository, as `owner/name`.' }),
    surface: z.string().meta({ description: 'The part of the product it touches.' }),
    title: z.string().meta({ description: 'What is to be done, in a line.' }),
    kind: z.string().meta({ description: 'The kind of work.', examples: ['bug'] }),
    scope_direction: z.enum(scopeDirections).meta({ description: 'Whether it narrows or widens the product.' }),
    estimated_cost: z.enum(estimatedCosts).meta({ description: 'What it is estimated to cost; decides its band.' }),
    ratings: JsonObject.meta({ description: "The gate's ratings; empty without any." }),
    gate_verdict: z.string().nullable().meta({ description: 'What the gate decided.' }),
    gate_session: z.string().nullable().meta({ description: 'The session that decided.' }),
    decided_at: z
      .string()
      .nullable()
      .meta({ description: 'The day of the decision.', examples: ['2026-08-20'] }),
    added_at: Timestamp.meta({ description: 'When it was queued.' }),
    added_by: z.string().meta({ description: 'Who queued it.' }),
    added_via: z.enum(['import', 'mcp', 'api']).meta({ description: 'The way it came; set by the service.' }),
    precedence: z.int().meta({ description: 'Its rank; higher is pulled sooner.' }),
    pinned: z.boolean().meta({ description: 'Whether a caller placed it by hand. A pinned item is never moved.' }),
    status: z.enum(itemStatuses).meta({ description: 'Rows stay as history when they leave the queue.' }),
    prompt: z.string().nullable().meta({ description: 'What the agent is asked to do; null asks it to implement.' }),
    notes: z.string().nullable().meta({ description: 'Free notes.' }),
    writing_session_id: Id.nullable().meta({ description: 'The session that queued it.' }),
    started_session_id: Id.nullable().meta({ description: 'The session that works on it.' }),
    started_by_session_id: Id.nullable().meta({ description: 'The session that pulled it.' }),
    started_at: Timestamp.nullable().meta({ description: 'When it was started.' }),
    removed_at: Timestamp.nullable().meta({ description: 'When it was removed.' }),
    removed_by: z.string().nullable().meta({ description: 'Who removed it.' }),
    removal_reason: z.string().nullable().meta({ description: 'Why it was removed.' }),
    payload: JsonObject.meta({ description: 'Ratings, prompt, notes, gate session, and keys of the caller.' }),
    liveness: z.enum(livenesses).meta({
      description: 'The state of its issue when the forge was last asked; `unknown` before that, or without an issue.',
    }),
    liveness_checked_at: Timestamp.nullable().meta({ description: 'When the forge was last asked.' }),
    position: z.int().nullable().meta({ description: 'Its place in the whole queue, from 1; null off the queue.' }),
  })
  .meta({ id: 'WorkBacklogItem' })

export type WorkBacklogItem = z.infer<typeof WorkBacklogItem>

export const CheckedIssues = z.object({
  queued: z.literal(true).meta({ description: 'The forge is asked in the background.' }),
  due: z.int().meta({
    description:
      'How many issues it is asked about. Zero if the queue has none, or if all were asked about within the last minute.',
  }),
})

export const BacklogCounts = z
  .object({
    queued: z.int().meta({ description: 'Items in the queue.' }),
    started: z.int().meta({ description: 'Items that were started.' }),
    removed: z.int().meta({ description: 'Items that were removed.' }),
    in_flight: z.int().meta({ description: 'Started items whose session is `running` or `waiting`.' }),
    parked: z.int().meta({ description: 'Started items whose session is `needs_input`.' }),
    pinned: z.int().meta({ description: 'Queued items that are pinned.' }),
  })
  .meta({ id: 'BacklogCounts' })

export type BacklogCounts = z.infer<typeof BacklogCounts>

export const BacklogFilterValues = z.object({
  repos: filterValues('repositories of the items'),
  surfaces: filterValues('surfaces of the items'),
  kinds: filterValues('kinds of work of the items'),
})

export type BacklogFilterValues = z.infer<typeof BacklogFilterValues>

export const BacklogRanking = z.object({
  order: z.string().meta({ description: 'How items are ordered.' }),
  gap: z.int().meta({ description: 'What lies between an item and the next one that is queued behind it.' }),
  bands: z
    .array(
      z.object({
        cost: z.enum(estimatedCosts).meta({ description: 'The estimated cost of its items.' }),
        floor: z.int().meta({ description: 'Every item of the band ranks above it.' }),
        base: z.int().meta({ description: 'The rank of the first item.' }),
        ceiling: z.int().meta({ description: 'The highest rank of the band.' }),
      }),
    )
    .meta({ description: 'The ranks of items that are not pinned, by cost.' }),
})

export type ItemRef = { id: number } | { key: string }

/** An item in a path. Digits are always a row id and never tried as a key; anything else is a key. */
export const ItemRef = sentAsText<number | string>(z.string().min(1))
  .transform((value): ItemRef => (/^\d+$/.test(value) ? { id: toExactId(value) } : { key: value }))
  .meta({ description: 'An item: its row id, or its key, percent-encoded.', examples: ['77', 'web%23498'] })

const word = sentAsText<string>()
  .optional()
  .transform((value) => value || undefined)

/** `in_flight` and `parked` are views of started items. */
const statusFilters = [...itemStatuses, 'all', 'in_flight', 'parked'] as const

export const ItemFilters = z.object({
  status: queryWord(statusFilters, { default: 'queued' }).meta({
    description: 'One status, `all`, or started items whose session works (`in_flight`) or waits (`parked`).',
  }),
  surface: word.meta({ type: 'string', description: 'Exactly this surface.' }),
  repo: word.meta({ type: 'string', description: 'Exactly this repository.' }),
  scope_direction: queryWord(scopeDirections).meta({ description: 'One direction.' }),
  kind: word.meta({ type: 'string', description: 'Exactly this kind.' }),
  estimated_cost: queryWord(estimatedCosts).meta({ description: 'One cost.' }),
  pinned: queryBoolean({ default: undefined }).meta({ description: 'Only pinned items, or only others.' }),
  key: word.meta({ type: 'string', description: 'Exactly this key.' }),
  added_by: word.meta({ type: 'string', description: 'Exactly this adder.' }),
})

export type ItemFilters = z.output<typeof ItemFilters>

function required(most: number) {
  return text(most, { from: z.string().trim().min(1, "can't be blank") })
}

/** Blank is null. */
function optional(most: number) {
  return text(most, { from: z.string().trim() })
    .nullish()
    .transform((value) => value || null)
    .meta({ type: ['string', 'null'], maxLength: most })
}

/** A day, or a time of which the day counts as it is written. */
const day = z
  .string()
  .refine(isDay, { message: 'must be an ISO date, such as 2026-08-20' })
  .transform((value) => value.slice(0, 10))
  .nullish()
  .transform((value) => value ?? null)
  .meta({ type: ['string', 'null'], examples: ['2026-08-20'] })

function isDay(value: string): boolean {
  // PostgreSQL knows no year 0.
  if (value.startsWith('0000')) return false
  return z.iso.date().safeParse(value).success || z.iso.datetime({ offset: true, local: true }).safeParse(value).success
}

const issueUrl = text(max.issueUrl, { from: z.string().trim() })
  .refine(
    (value) => value === '' || (z.url({ protocol: /^https?$/ }).safeParse(value).success && !/[\s\p{C}]/u.test(value)),
    {
      message: 'must be an http or https address',
    },
  )
  .nullish()
  .transform((value) => value || null)
  .meta({ type: ['string', 'null'], maxLength: max.issueUrl })

export function isRank(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= max.precedence.min && Number(value) <= max.precedence.max
}

const rankRule = `must be an integer from ${max.precedence.min} to ${max.precedence.max}`

/** These stand in the payload, and only their own keys set them. */
export const payloadFields = ['ratings', 'prompt', 'notes', 'gate_session'] as const

/** Adders that may queue work without an issue. */
const trustedAdders: readonly string[] = ['human', 'queue-migration']

/** Unknown keys go to the payload. */
export const NewItem = z
  .looseObject({
    key: required(max.key).meta({
      description: 'Names the work: `<repo>#<number>` or `manual-<slug>`. A repeat answers the queued item.',
      examples: ['web#498'],
    }),
    issue_url: issueUrl.meta({ description: 'The issue to implement. Without one `prompt` is required.' }),
    repo: z
      .string()
      .regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/, 'must be owner/name')
      .meta({ description: 'The repository, as `owner/name`.', examples: ['acme/web'] }),
    surface: required(max.surface).meta({ description: 'The part of the product it touches.' }),
    title: required(max.title).meta({ description: 'What is to be done, in a line.' }),
    kind: required(max.kind).meta({ description: 'The kind of work.', examples: ['bug'] }),
    scope_direction: z.enum(scopeDirections).meta({ description: 'Whether it narrows or widens the product.' }),
    estimated_cost: z.enum(estimatedCosts).meta({ description: 'What it is estimated to cost; decides its band.' }),
    ratings: JsonObject.nullish().meta({ description: "The gate's ratings." }),
    gate_verdict: optional(max.gateVerdict).meta({ description: 'What the gate decided.' }),
    gate_session: optional(max.issueUrl).meta({ description: 'The session that decided.' }),
    decided_at: day.meta({ description: 'The day of the decision.' }),
    notes: z.string().nullish().meta({ description: 'Free notes.' }),
    added_by: optional(max.addedBy).meta({ description: 'Who queues it; `human` if absent.' }),
    writing_session_id: ActingSessionId,
    acting_session_id: ActingSessionId,
    pinned: z.boolean().nullish().meta({ description: 'Whether it is placed by hand; needs `precedence`.' }),
    precedence: optionallySent<number | null>().meta({
      type: ['integer', 'null'],
      description: 'Its rank if it is pinned; else ignored.',
    }),
    prompt: z
      .string()
      .nullish()
      .transform((value) => (value?.trim() ? value : null))
      .meta({ type: ['string', 'null'], description: 'What the agent is asked to do, instead of implementing it.' }),
    payload: JsonObject.nullish()
      .refine((value) => !payloadFields.some((name) => Object.hasOwn(value ?? {}, name)), {
        message: `must not have ${payloadFields.join(', ')}: they are keys beside it`,
      })
      .meta({ description: 'Further keys to keep with it. Unknown keys of the body are kept likewise.' }),
  })
  .refine((item) => item.pinned !== true || isRank(item.precedence), {
    path: ['precedence'],
    message: `${rankRule} if the item is pinned`,
    when: isNotAbout('pinned'),
  })
  .refine((item) => item.issue_url != null || item.prompt != null, {
    path: ['prompt'],
    message: "can't be blank without an issue_url",
    when: isNotAbout('issue_url', 'prompt'),
  })
  .refine((item) => item.issue_url != null || trustedAdders.includes(item.added_by ?? 'human'), {
    path: ['added_by'],
    message: `must be ${trustedAdders.join(' or ')} without an issue_url`,
    when: isNotAbout('issue_url', 'added_by'),
  })

export type NewItem = z.output<typeof NewItem>

/** Lets a rule about several fields be reported together with problems of others, but not with one of these. */
function isNotAbout(...fields: readonly string[]) {
  return ({ value, issues }: z.core.ParsePayload): boolean =>
    typeof value === 'object' && !issues.some(({ path = [] }) => fields.includes(String(path[0])))
}

const DeadItem = z.object({
  key: required(max.key).meta({ description: 'The key of a queued item.' }),
  reason: z.enum(deadReasons).meta({ description: 'Why it is not worth starting.' }),
})

export const Pull = z
  .object({
    count: z.int().min(0).max(max.pull).nullish().meta({
      description: 'How many items to start, from the top of the queue. 0 starts none.',
    }),
    keys: z
      .array(required(max.key))
      .min(1)
      .max(max.pull)
      .refine(areDifferent, { message: 'must not repeat a key' })
      .nullish()
      .meta({ description: 'The items to start instead, first to last. One that is not queued starts none.' }),
    dead: z
      .preprocess(
        (value: unknown) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? [value] : value),
        z
          .array(DeadItem)
          .max(max.dead)
          .refine((dead) => areDifferent(dead.map(({ key }) => key)), { message: 'must not repeat a key' })
          .nullish(),
      )
      .optional()
      .meta({ description: 'Queued items to remove first, each with its reason. One item may stand without a list.' }),
    acting_session_id: ActingSessionId,
  })
  .refine(({ count, keys }) => (count ?? null) === null || (keys ?? null) === null, {
    path: ['count'],
    message: 'and keys exclude each other',
    when: isNotAbout('count', 'keys'),
  })
  .refine(({ count, keys, dead }) => typeof count === 'number' || Boolean(keys?.length) || Boolean(dead?.length), {
    path: ['count'],
    message: "can't be blank unless keys or dead say what to do",
    when: isNotAbout('count', 'keys', 'dead'),
  })
  .refine(({ keys, dead }) => sharedKeys(keys, dead).length === 0, {
    path: ['keys'],
    error: ({ input }) => `must not be dead too: ${sharedKeys(Object(input).keys, Object(input).dead).join(', ')}`,
    when: isNotAbout('keys', 'dead'),
  })

export type Pull = z.output<typeof Pull>

function areDifferent(keys: readonly string[]): boolean {
  return new Set(keys).size === keys.length
}

function sharedKeys(keys: readonly string[] | null | undefined, dead: readonly { key: string }[] | null | undefined) {
  return (keys ?? []).filter((key) => dead?.some((each) => each.key === key))
}

export const StartNow = z.object({ acting_session_id: ActingSessionId })

export const Placement = z.object({
  precedence: sent<number>()
    .transform((value: unknown, context): number => {
      if (value === undefined || value === null || value === '')
        return refuseField(context, 'missing_precedence', "Precedence can't be blank")
      const number = typeof value === 'string' && /^[+-]?\d{1,15}$/.test(value) ? Number(value) : value
      return isRank(number) ? number : refuseField(context, 'invalid_precedence', `Precedence ${rankRule}`)
    })
    .meta({ type: 'integer', description: 'The rank to place it at.', examples: [7500] }),
})

export const Removal = z.object({
  reason: sent<string>()
    .transform((value: unknown, context): string => {
      const reason = typeof value === 'string' ? value.trim() : ''
      return reason === '' ? refuseField(context, 'missing_reason', "Reason can't be blank") : reason
    })
    .pipe(text(max.reason))
    .meta({ type: 'string', description: 'Why it is removed.', examples: ['superseded'], maxLength: max.reason }),
  removed_by: optional(max.addedBy).meta({ description: 'Who removes it; `human` if absent.' }),
})

export type Removal = z.output<typeof Removal>

const SpawnedSession = Session.extend({
  url: z.string().meta({ description: 'Where a person looks at it.' }),
}).meta({ id: 'SpawnedSession' })

export type SpawnedSession = z.infer<typeof SpawnedSession>

export const OneItem = z.object({ work_backlog_item: WorkBacklogItem })

export const AppendedItem = OneItem.extend({
  created: z.boolean().meta({ description: 'False if an item with this key was queued already; nothing is written.' }),
  position: z.int().nullable().meta({ description: 'Its place in the whole queue, from 1.' }),
  band_respaced: z.boolean().meta({ description: 'Whether other items of its band got new ranks to make room.' }),
})

export const StartedItem = OneItem.extend({ session: SpawnedSession })

export const PulledItems = z.object({
  started: z
    .array(StartedItem)
    .meta({ description: 'The items that were started, in the order of the queue or of `keys`.' }),
  removed: z
    .array(OneItem.extend({ reason: z.enum(deadReasons).meta({ description: 'The reason that was given.' }) }))
    .meta({ description: 'The items that were removed as dead.' }),
  counts: BacklogCounts,
})

export type PulledItems = z.infer<typeof PulledItems>
