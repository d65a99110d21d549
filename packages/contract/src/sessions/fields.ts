import { z } from 'zod'
import { ArtifactLists } from '../catalog/fields.ts'
import { Id, SessionRef } from '../identifiers.ts'
import { JsonObject } from '../json.ts'
import { limits } from '../limits.ts'
import { queryBoolean } from '../query.ts'
import { optionallySent, sent } from '../sent.ts'
import { text } from '../text.ts'
import { Timestamp } from '../timestamp.ts'

export const sessionStatuses = ['waiting', 'running', 'needs_input', 'failed', 'archived'] as const
export const genesisKinds = [
  'web_ui',
  'chat',
  'forge_issue',
  'forge_label',
  'schedule',
  'ao_event',
  'api',
  'unknown',
] as const
export const priorityClasses = ['spot', 'priority'] as const
export const visibilities = ['visible', 'hidden', 'snoozed'] as const

export type SessionStatus = (typeof sessionStatuses)[number]
export type Genesis = (typeof genesisKinds)[number]
export type PriorityClass = (typeof priorityClasses)[number]
export type Visibility = (typeof visibilities)[number]

const SessionCategory = z.object({
  id: Id,
  name: z.string().meta({ description: 'Its name.' }),
  position: z.int().meta({ description: 'Its place on the board, lowest first.' }),
  is_frozen: z.boolean().meta({ description: 'Whether it is a parked bucket.' }),
})
const names = z.array(z.string())

export const Session = z
  .object({
    id: Id,
    slug: z.string().nullable().meta({ description: 'Readable handle: the title plus a `-YYYYMMDD-HHMM` stamp.' }),
    idempotency_key: z.string().nullable().meta({ description: 'The key it was created with; null without one.' }),
    title: z.string().nullable().meta({ description: 'A short title.' }),
    status: z.enum(sessionStatuses).meta({ description: 'Its status.' }),
    agent_runtime: z.string().meta({ description: 'The registered runtime that runs its turns.' }),
    genesis: z.enum(genesisKinds).meta({ description: 'How it was created. Never chosen by the caller.' }),
    scheduling_class: z.enum(priorityClasses).nullable().meta({ description: 'The explicit class; null derives it.' }),
    priority_class: z.enum(priorityClasses).meta({ description: 'The class in force.' }),
    precedence: z.int().meta({ description: 'Rank within the spot queue; higher is handled sooner.' }),
    prompt: z.string().nullable().meta({ description: 'The latest prompt that was delivered directly.' }),
    git_root: z.string().meta({ description: 'Repository URL or local path; a password in it is not shown.' }),
    branch: z.string().meta({ description: 'The branch that is checked out.' }),
    subdirectory: z.string().nullable().meta({ description: 'Directory in the repository the agent works in.' }),
    goal: z.string().nullable().meta({ description: 'The goal of the agent; null when there is none.' }),
    mcp_servers: names.meta({ description: 'The MCP servers selected for it.' }),
    all_mcp_servers: names.meta({ description: 'Selected, plugin-bundled and injected servers together.' }),
    injected_mcp_servers: names.meta({ description: 'Servers that the service adds to every such session.' }),
    catalog_skills: names.meta({ description: 'Selected skills.' }),
    catalog_hooks: names.meta({ description: 'Selected hooks.' }),
    catalog_plugins: names.meta({ description: 'Selected plugins.' }),
    config: JsonObject.meta({ description: "The caller's settings for the run; `model` is always set." }),
    metadata: JsonObject.meta({ description: "The service's own bookkeeping." }),
    custom_metadata: JsonObject.meta({ description: "The caller's own object, stored as sent." }),
    is_autonomous: z.boolean().meta({ description: 'Whether it fires broadcast event triggers.' }),
    heartbeat_enabled: z.boolean().meta({ description: 'Whether it is nudged at intervals while it rests.' }),
    heartbeat_interval_seconds: z.int().meta({ description: 'Seconds between nudges, 30 to 86,400.' }),
    auto_compact_window: z.int().meta({
      description:
        'Context size in tokens at which the agent compacts, on runtimes with `takes_compact_window`. The largest leaves it to the agent.',
    }),
    category_id: Id.nullable().meta({ description: 'Its category; null is Uncategorized.' }),
    category: SessionCategory.nullable().meta({ description: 'The category in short; null is Uncategorized.' }),
    session_id: z.string().nullable().meta({ description: "The runtime's own id of the conversation." }),
    job_id: z.string().nullable().meta({ description: 'The turn its creation queued; null when it had no prompt.' }),
    running_job_id: z.string().nullable().meta({ description: 'The turn that is underway or handed over.' }),
    archived_at: Timestamp.nullable().meta({ description: 'When it was archived.' }),
    trash_after: Timestamp.nullable().meta({ description: 'After this, what the archive kept is cleaned up.' }),
    created_at: Timestamp.meta({ description: 'When it was created.' }),
    updated_at: Timestamp.meta({ description: 'When it last changed.' }),
    session_notes: z.string().nullable().meta({ description: 'Free notes about it.' }),
    session_notes_updated_at: Timestamp.nullable().meta({ description: 'When the notes last changed.' }),
    favorited: z.boolean().meta({ description: 'Whether it sorts to the top of the board.' }),
    visibility: z.enum(visibilities).meta({ description: 'The stored choice for the board.' }),
    effective_visibility: z.enum(visibilities).meta({ description: 'The choice with an ended snooze resolved.' }),
    snoozed_until: Timestamp.nullable().meta({ description: 'When a snooze ends.' }),
    transcript: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'The stored transcript as JSON lines; only on show, when asked for.' }),
  })
  .meta({ id: 'Session' })

export type Session = z.infer<typeof Session>

/** Words that paths use in the place of a session. */
const reservedSlugs: readonly string[] = ['search', 'reorder', 'refresh_all', 'bulk_archive']

/** A slug as a caller may write it. */
export const slug = text(limits.slug)
  .refine((value) => /^[a-z0-9-]+$/.test(value), { message: 'only allows lowercase letters, numbers, and hyphens' })
  .refine((value) => !/^\d+$/.test(value), { message: "can't be all digits" })
  .refine((value) => !reservedSlugs.includes(value), { message: 'is reserved' })

function isPriorityClass(value: string): value is PriorityClass {
  return priorityClasses.some((known) => known === value)
}

/** A rank within the spot queue, as a number or as its digits. */
export const rank = z.preprocess(
  (value: number | string) => (typeof value === 'string' && /^[+-]?\d{1,15}$/.test(value) ? Number(value) : value),
  z.int().min(limits.precedence.min).max(limits.precedence.max),
)

/** Null or blank derives the class from the session's origin. */
export const priorityClass = z
  .string()
  .nullable()
  .transform((value) => value || null)
  .refine((value): value is PriorityClass | null => value === null || isPriorityClass(value), {
    error: ({ input }) => `${String(input)} is not a known scheduling class`,
  })
  .meta({ type: ['string', 'null'], enum: [...priorityClasses, null] })

/** Blank is no parent. A value that can name no session is refused like a session that does not exist. */
const parentSession = sent<number | string>(z.unknown()).transform((value): SessionRef | null => {
  const name = typeof value === 'number' ? String(value) : value
  if (name === null || (typeof name === 'string' && name.trim() === '')) return null
  return SessionRef.safeParse(name).data ?? { id: 0 }
})

/**
 * Unknown keys are dropped. The operation checks `agent_root`, since only it knows the catalog.
 */
export const NewSession = z.object({
  prompt: text(limits.prompt, { wording: 'long' }).nullish().meta({ description: 'The prompt of the first turn.' }),
  parent_session_id: parentSession.nullish().meta({
    type: ['integer', 'string', 'null'],
    description: 'The session that spawns it: its numeric id or its slug.',
  }),
  agent_root: z
    .string()
    .nullish()
    .meta({ description: 'A root of the catalog: it supplies what the request leaves out.' }),
  git_root: text(limits.gitRoot)
    .nullish()
    .meta({
      description: 'Repository URL or absolute local path.',
      examples: ['https://forge.example/acme/widgets.git'],
    }),
  branch: text(limits.branch).nullish().meta({ description: 'Branch to check out; `main` when none is named.' }),
  subdirectory: text(limits.subdirectory).nullish().meta({ description: 'Directory in the repository to work in.' }),
  title: text(limits.title, { wording: 'long' }).nullish().meta({ description: 'A short title.' }),
  slug: slug
    .nullish()
    .meta({ description: 'A handle of lower-case letters, digits and hyphens; made from the title if absent.' }),
  agent_runtime: z
    .string()
    .nullish()
    .meta({ description: 'A registered runtime.', examples: ['demo'] }),
  goal: text(limits.goal, { wording: 'long' }).nullish().meta({ description: 'The goal of the agent.' }),
  is_autonomous: z
    .boolean()
    .nullish()
    .meta({ description: 'Whether it fires broadcast event triggers; true if absent.' }),
  auto_compact_window: z.int().min(limits.autoCompactWindow.min).max(limits.autoCompactWindow.max).nullish().meta({
    description:
      'Context size in tokens at which the agent compacts, on runtimes with `takes_compact_window`. The largest leaves it to the agent.',
  }),
  scheduling_class: priorityClass
    .optional()
    .meta({ description: "Its class; if absent its parent's own choice, else derived from its origin." }),
  precedence: rank.nullish().meta({
    type: ['integer', 'null'],
    description: "Rank within the spot queue; if absent, one above its parent's, or 0 without one.",
  }),
  place: z
    .string()
    .nullish()
    .meta({ description: 'Instead of a rank: `top_of_spot`.', examples: ['top_of_spot'] }),
  config: JsonObject.nullish().meta({
    description:
      "Settings for the run: `model`, `cli_commands` (true: a prompt that begins with a slash is a command of the agent's program), and `permissions` (`ask`: people decide what the agent may do).",
  }),
  custom_metadata: JsonObject.nullish().meta({ description: "The caller's own object." }),
  idempotency_key: text(limits.idempotencyKey)
    .nullish()
    .meta({ description: 'A repeat with the same key answers the session the first one created.' }),
  ...ArtifactLists.shape,
})

export type NewSession = z.infer<typeof NewSession>

/** The key alone, for the lookup of an earlier session: a repeat is answered whatever the rest of its body says. */
export const IdempotencyKey = z.object({
  idempotency_key: optionallySent<string | null>().transform((value) =>
    typeof value === 'string' && value !== '' ? value : undefined,
  ),
})

export const CreatedSession = z.object({
  session: Session,
  warnings: z.array(z.string()).optional().meta({ description: 'Warnings for the caller; absent when empty.' }),
})

export const ReplayedSession = z.object({
  session: Session,
  idempotent_replay: z.literal(true).meta({ description: 'The key was used before; nothing was created.' }),
})

/** Filters of a list of sessions. An unknown value is ignored only where the field says so. */
export const SessionFilters = z.object({
  status: z.string().optional().meta({ description: 'One status; an unknown one matches nothing.' }),
  agent_runtime: z.string().optional().meta({ description: 'One runtime; an unknown one matches nothing.' }),
  priority_class: ignoringUnknown(priorityClasses).meta({
    description: '`spot` or `priority`; other values are ignored.',
  }),
  genesis: ignoringUnknown(genesisKinds).meta({ description: 'One origin; other values are ignored.' }),
  show_archived: queryBoolean({ default: false }).meta({ description: 'Whether archived sessions are listed too.' }),
  visibility: ignoringUnknown(['on_board', 'off_board'] as const).meta({
    description: '`on_board` or `off_board`; other values are ignored.',
  }),
})

export type SessionFilters = z.infer<typeof SessionFilters>

function ignoringUnknown<const T extends string>(known: readonly T[]) {
  return z
    .string()
    .optional()
    .transform((value) => known.find((candidate) => candidate === value))
    .meta({ type: 'string', enum: [...known] })
}

export const StatusSummary = z
  .object({
    summary: z.string().nullable().meta({
      description: 'A summary of the session in a few sentences. The old text stays readable while a new one is made.',
    }),
    messages_since_generated: z.int().nullable().meta({
      description: 'Transcript entries since the text was made; 0 means current. Null without a text.',
    }),
    state: z.enum(['idle', 'pending', 'ready', 'failed']).meta({ description: 'The state of the last request.' }),
    generating: z.boolean().meta({ description: 'Whether a text is being made, or is about to be.' }),
    error: z.string().nullable().meta({ description: 'Why the last attempt failed.' }),
  })
  .meta({ id: 'StatusSummary' })

export type StatusSummary = z.infer<typeof StatusSummary>

const HierarchyNode = z
  .object({
    id: Id,
    title: z.string().meta({ description: 'The title, or `Session #<id>` without one.' }),
    agent_root: z.string().nullable().meta({ description: 'The catalog root it was made from; null if none.' }),
    status: z.enum(sessionStatuses).meta({ description: 'Its status.' }),
    depth: z.int().meta({ description: 'Levels below a root; 0 for a root.' }),
    parent_session_id: Id.nullable().meta({ description: 'The session that spawned it, whether listed here or not.' }),
    render_parent_session_id: Id.nullable().meta({
      description: 'The node it is drawn under; null for a root. The tree is rebuilt from this alone.',
    }),
    spawn_edge: z.boolean().meta({
      description:
        'False when it is listed only because of an uncle link, or only so that the requested session is shown.',
    }),
    uncle_session_ids: z.array(Id).meta({
      description:
        'Nodes that claim to have queued a message for it or interrupted it: further seniors. The claim is not verified.',
    }),
    current: z.boolean().meta({ description: 'Whether it is the requested session.' }),
    genesis: z.enum(genesisKinds).meta({ description: 'How it was created.' }),
    priority_class: z.enum(priorityClasses).meta({ description: 'The class in force.' }),
  })
  .meta({ id: 'HierarchyNode' })

export type HierarchyNode = z.infer<typeof HierarchyNode>

export const SessionHierarchy = z.object({
  origin_session_id: Id.meta({ description: 'The oldest ancestor.' }),
  root_session_ids: z
    .array(Id)
    .meta({ description: 'The roots of the trees: the origin first, then the others by id.' }),
  truncated: z.boolean().meta({ description: 'Whether there are more relatives than are listed.' }),
  truncation_reason: z.string().nullable().meta({ description: 'The limits, when one was reached; else null.' }),
  nodes: z.array(HierarchyNode).meta({ description: 'Depth first; rebuild the tree from `render_parent_session_id`.' }),
})

export type SessionHierarchy = z.infer<typeof SessionHierarchy>

const HumanMessage = z
  .object({
    origin: z.enum(['here', 'elsewhere']).meta({ description: '`here` when it was sent to the requested session.' }),
    author: z.string().meta({ description: 'The key of the person, which never changes.' }),
    author_display_name: z.string().meta({ description: 'The name of the person; the key when no longer known.' }),
    channel: z.string().meta({ description: 'The channel it came through: `web_ui` or `chat`.' }),
    channel_label: z.string().meta({ description: 'The channel in words.' }),
    authored_in_session_id: Id.meta({ description: 'The session it was sent to.' }),
    authored_in: z.string().meta({ description: 'That session in words.' }),
    entry_point: z.string().meta({ description: 'Where on the channel, such as `web_ui.follow_up`.' }),
    content: z.string().meta({ description: 'The text.' }),
    occurred_at: Timestamp.meta({ description: 'When it was sent.' }),
  })
  .meta({ id: 'HumanMessage' })

export type HumanMessage = z.infer<typeof HumanMessage>

const CaptureGap = z
  .object({
    channel: z.string().meta({ description: 'The channel whose messages cannot be captured.' }),
    channel_label: z.string().meta({ description: 'The channel in words.' }),
    genesis: z.enum(genesisKinds).meta({ description: 'The genesis of its sessions.' }),
    session_ids: z.array(Id).meta({ description: 'The sessions that came through it.' }),
    reason: z.string().meta({ description: 'Why nothing could be captured.' }),
    remedy: z.string().meta({ description: 'What an operator can do about it.' }),
  })
  .meta({ id: 'CaptureGap' })

export type CaptureGap = z.infer<typeof CaptureGap>

export const ShownSession = z.object({
  session: Session,
  status_summary: StatusSummary.nullable().meta({ description: 'Null when none was ever requested.' }),
  session_hierarchy: SessionHierarchy.meta({ description: 'The tree of sessions this one belongs to.' }),
  human_messages: z.array(HumanMessage).meta({ description: 'Messages of named people anywhere in the tree.' }),
  human_message_capture_gaps: z
    .array(CaptureGap)
    .meta({ description: 'Channels of the tree whose messages cannot be captured.' }),
})

export type ShownSession = z.infer<typeof ShownSession>
