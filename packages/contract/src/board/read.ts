import { z } from 'zod'
import { Id } from '../identifiers.ts'
import { limits } from '../limits.ts'
import { clampedInteger, queryBoolean, queryWord } from '../query.ts'
import { sentAsText } from '../sent.ts'
import { priorityClasses, SessionFilters, sessionStatuses, visibilities } from '../sessions/fields.ts'
import { text } from '../text.ts'
import { Timestamp } from '../timestamp.ts'

export const boardViews = ['categories', 'touched', 'created', 'ranked'] as const
export type BoardView = (typeof boardViews)[number]

/** Why a session waits for a person, the most urgent first. */
export const needKinds = ['question', 'oauth_required', 'failed', 'needs_input'] as const
export type NeedKind = (typeof needKinds)[number]

const { default: usualSection, max: largestSection } = limits.boardSection

export const BoardQuery = SessionFilters.extend({
  view: queryWord(boardViews, { default: 'categories' }).meta({
    description:
      'The sections and their order. `categories`: one section a category, favourites first, then by hand. `touched` and `created`: one section, the latest first. `ranked`: what runs, what waits to run in the order in which it starts, and the rest by precedence.',
  }),
  agent_root: z
    .string()
    .optional()
    .meta({ description: 'Only sessions of this root of the catalog; an unknown one matches nothing.' }),
  q: text(limits.searchQuery)
    .optional()
    .meta({ description: 'Only sessions with this text in their title, slug, root or branch, or with this id.' }),
  favorited: queryBoolean({ default: undefined }).meta({ description: 'Only favourites, or only the others.' }),
  author: z
    .string()
    .optional()
    .meta({ description: 'Only sessions that this person wrote to: the key of a person.', examples: ['ada-lovelace'] }),
  needs_you: queryBoolean({ default: undefined }).meta({
    description: 'Only sessions that wait for a person, or only the others.',
  }),
  section: z
    .string()
    .optional()
    .meta({ description: 'Only the section with this `key`.', examples: ['category:3'] }),
  page: sentAsText<number | string>()
    .optional()
    .transform((value) => clampedInteger(value, { fallback: 1, min: 1, max: 1_000_000 }))
    .meta({ type: 'integer', description: 'Page of each section, from 1.', default: 1 }),
  per_section: sentAsText<number | string>()
    .optional()
    .transform((value) => clampedInteger(value, { fallback: usualSection, min: 1, max: largestSection }))
    .meta({
      type: 'integer',
      description: `Cards a page of a section holds, 1 to ${largestSection.toLocaleString('en-US')}.`,
      default: usualSection,
    }),
})
export type BoardQuery = z.output<typeof BoardQuery>

const present = z.literal(true).optional()

export const BoardCard = z
  .object({
    id: Id,
    slug: z.string().optional().meta({ description: 'Its slug.' }),
    title: z.string().optional().meta({ description: 'Its title.' }),
    prompt: z.string().optional().meta({
      description: 'The beginning of its first prompt, redacted and cut short, while its title is only its number.',
    }),
    status: z.enum(sessionStatuses).meta({ description: 'Its status.' }),
    agent_runtime: z.string().meta({ description: 'Its runtime.' }),
    model: z.string().optional().meta({ description: 'Its model.' }),
    agent_root: z.string().optional().meta({ description: 'The root of the catalog it was made from.' }),
    priority_class: z.enum(priorityClasses).meta({ description: 'The class in force.' }),
    precedence: z.int().meta({ description: 'Rank within the spot queue; higher is handled sooner.' }),
    category_id: Id.optional().meta({ description: 'Its category; absent for Uncategorized.' }),
    parent_session_id: Id.optional().meta({ description: 'The session that spawned it.' }),
    created_at: Timestamp.meta({ description: 'When it was created.' }),
    touched_at: Timestamp.meta({ description: 'When it last changed, or one of its agents last wrote.' }),
    working_since: Timestamp.optional().meta({ description: 'When its running turn was dispatched.' }),
    last_line: z.string().optional().meta({ description: 'The last line of what its agent said last, cut short.' }),
    last_written_at: Timestamp.optional().meta({ description: 'When its agent last wrote to its transcript.' }),
    queued: z.int().optional().meta({ description: 'Messages that wait in its queue; absent for none.' }),
    cost_usd: z
      .number()
      .optional()
      .meta({ description: 'What it has cost so far, at list price; absent for nothing.' }),
    pull_request: z
      .object({
        url: z.string().meta({ description: 'Its address.' }),
        state: z.string().meta({ description: 'Its state at the forge.' }),
        has_conflict: z.boolean().meta({ description: 'Whether it cannot be merged as it is.' }),
      })
      .optional()
      .meta({ description: 'The open one that it opened last, or else the last one.' }),
    needs_you: z.enum(needKinds).optional().meta({ description: 'Why it waits for a person.' }),
    question: z
      .object({
        elicitation_id: Id,
        message: z.string().meta({ description: 'The question, cut short.' }),
        expires_at: Timestamp.meta({ description: 'When it expires unless it is answered.' }),
      })
      .optional()
      .meta({ description: 'The oldest question that waits for an answer.' }),
    unread: z.int().optional().meta({ description: 'Notifications about it that wait to be read; absent for none.' }),
    failure: z.string().optional().meta({ description: 'Why it failed, cut short.' }),
    held: z
      .object({
        reason: z.string().meta({
          description:
            'What it waits for: `fleet_at_cap`, `at_utilization_limit` or `budget_exhausted`. Of a session that no vendor account can serve: `account_unavailable`, or `account_needs_reauth` if a person has to sign in to one.',
        }),
        since: Timestamp.optional().meta({ description: 'Since when.' }),
        until: Timestamp.optional().meta({
          description: 'When an account is expected to serve again; absent if that is not known.',
        }),
      })
      .optional()
      .meta({ description: 'Its turn waits for a free slot, for a quota, for a budget or for a vendor account.' }),
    wake: z
      .object({ at: Timestamp.optional().meta({ description: 'When; absent if an event wakes it.' }) })
      .optional()
      .meta({ description: 'A wake is armed for it: the next one.' }),
    paused: present.meta({ description: 'A person paused it.' }),
    asleep: present.meta({ description: 'It sleeps on purpose.' }),
    frozen: present.meta({ description: 'Its category is frozen.' }),
    heartbeat: present.meta({ description: 'It is nudged at intervals while it rests.' }),
    favorited: present.meta({ description: 'It is a favourite.' }),
    notes: present.meta({ description: 'It has notes.' }),
    visibility: z
      .enum(visibilities)
      .exclude(['visible'])
      .optional()
      .meta({ description: 'Why it is off the board; an ended snooze counts as visible.' }),
    snoozed_until: Timestamp.optional().meta({ description: 'When its snooze ends.' }),
  })
  .meta({ id: 'BoardCard' })
export type BoardCard = z.infer<typeof BoardCard>

const total = z.int().meta({ description: 'Sessions that match the filters.' })
const shown = z.int().meta({ description: 'How many of them this answer has.' })

const BoardSection = z
  .object({
    key: z.string().meta({
      description: '`category:<id>` or `uncategorized`, `all`, or in the view `ranked`: `running`, `queue`, `resting`.',
    }),
    title: z.string().meta({ description: 'Its name.' }),
    category_id: Id.optional().meta({ description: 'The category that it is.' }),
    frozen: present.meta({ description: 'The category is frozen.' }),
    total,
    shown,
    cost_usd: z.number().meta({ description: 'What all its matching sessions have cost so far, at list price.' }),
    cards: z.array(BoardCard).meta({ description: 'One page of them, in order.' }),
  })
  .meta({ id: 'BoardSection' })
export type BoardSection = z.infer<typeof BoardSection>

export const Board = z.object({
  view: z.enum(boardViews).meta({ description: 'The view of this answer.' }),
  page: z.int().meta({ description: 'The page of each section.' }),
  per_section: z.int().meta({ description: 'Cards a page of a section holds.' }),
  total,
  shown,
  sections: z.array(BoardSection).meta({ description: 'From top to bottom. A category without a match is empty.' }),
})
export type Board = z.infer<typeof Board>

const count = z.int()

export const BoardSummary = z.object({
  needs_you: count.meta({ description: 'Sessions that wait for a person.' }),
  running: count.meta({ description: 'Sessions on the board that are running.' }),
  waiting: count.meta({ description: 'Sessions on the board that are waiting.' }),
  needs_input: count.meta({ description: 'Sessions on the board that rest.' }),
  failed: count.meta({ description: 'Sessions on the board that failed.' }),
  unread_notifications: count.meta({ description: 'Notifications that wait to be read.' }),
  failed_triggers: count.meta({ description: 'Triggers that were parked as failed.' }),
  backlog: count.meta({ description: 'Items that are queued in the work backlog.' }),
  cost_today_usd: z.number().meta({ description: 'What was spent today (UTC), at list price.' }),
  hosts: z
    .object({ alive: count.meta({ description: 'Hosts that report themselves alive.' }) })
    .meta({ description: 'The hosts.' }),
  spot: z
    .object({
      is_gated: z.boolean().meta({ description: 'Whether spot sessions wait for a free slot and for quotas.' }),
      live: count.meta({ description: 'Turns that run or are about to; priority ones count too.' }),
      slots: count.meta({ description: 'Live turns at which spot sessions wait.' }),
      held: count.meta({ description: 'Sessions whose turn is held, or waits for a vendor account.' }),
    })
    .meta({ description: 'The gate of the spot queue.' }),
})
export type BoardSummary = z.infer<typeof BoardSummary>
