import { z } from 'zod'
import { Id } from '../identifiers.ts'
import { limits } from '../limits.ts'
import { text } from '../text.ts'
import { Timestamp } from '../timestamp.ts'

export const subagentStatuses = ['running', 'completed', 'failed'] as const
export type SubagentStatus = (typeof subagentStatuses)[number]

const described = {
  agent_id: 'The subagent, by the name its runtime gives it. Unique in its session.',
  tool_use_id: 'The tool call that spawned it.',
  filename: 'The file its transcript came from.',
  message_count: 'Lines of its transcript.',
  subagent_type: 'What kind of subagent it is.',
  description: 'What it was asked to do, in a few words.',
  duration_ms: 'How long it worked, in milliseconds.',
  total_tokens: 'Tokens that its model calls used, of every kind.',
  tool_use_count: 'How often it used a tool.',
} as const

const countOrNull = z.int().nullable()

export const SubagentTranscript = z
  .object({
    id: Id,
    session_id: Id.meta({ description: 'The session whose agent spawned it.' }),
    agent_id: z.string().meta({ description: described.agent_id }),
    tool_use_id: z.string().nullable().meta({ description: described.tool_use_id }),
    filename: z.string().nullable().meta({ description: described.filename }),
    message_count: z.int().meta({ description: described.message_count }),
    subagent_type: z.string().nullable().meta({ description: described.subagent_type }),
    description: z.string().nullable().meta({ description: described.description }),
    status: z.enum(subagentStatuses).nullable().meta({ description: 'Its outcome; null when unknown.' }),
    duration_ms: countOrNull.meta({ description: described.duration_ms }),
    total_tokens: countOrNull.meta({ description: described.total_tokens }),
    tool_use_count: countOrNull.meta({ description: described.tool_use_count }),
    formatted_duration: z
      .string()
      .nullable()
      .meta({ description: 'The duration for people, in minutes and seconds.', examples: ['1m 1s'] }),
    formatted_tokens: z
      .string()
      .nullable()
      .meta({ description: 'The tokens for people, in thousands from 1000 on.', examples: ['12.3k'] }),
    display_label: z.string().meta({ description: 'The description, else the type, else `Subagent`.' }),
    created_at: Timestamp.meta({ description: 'When it was recorded.' }),
    updated_at: Timestamp.meta({ description: 'When it last changed.' }),
  })
  .meta({ id: 'SubagentTranscript' })

export type SubagentTranscript = z.infer<typeof SubagentTranscript>

export const ShownSubagentTranscript = SubagentTranscript.extend({
  transcript: z
    .string()
    .nullable()
    .optional()
    .meta({ description: 'JSON lines, redacted. Only with `include_transcript=true`; null when there is none.' }),
}).meta({ id: 'ShownSubagentTranscript' })

const agentId = text(limits.subagentId)
  .refine((value) => value.trim() !== '', { message: "can't be blank" })
  .meta({ maxLength: limits.subagentId, description: described.agent_id, examples: ['agent-1f2e3d4c'] })

const words = (description: string) => text(limits.subagentText).nullable().optional().meta({ description })
const count = z.int().min(0)

const status = z
  .string()
  .nullable()
  .refine(
    (value): value is SubagentStatus | null => value === null || subagentStatuses.some((known) => known === value),
    {
      message: 'is not included in the list',
    },
  )
  .meta({ enum: [...subagentStatuses, null], description: 'Its status.' })

const facts = {
  tool_use_id: words(described.tool_use_id),
  filename: words(described.filename),
  message_count: count.optional().meta({ description: described.message_count, default: 0 }),
  subagent_type: words(described.subagent_type),
  description: words(described.description),
  duration_ms: count.nullable().optional().meta({ description: described.duration_ms }),
  total_tokens: count.nullable().optional().meta({ description: described.total_tokens }),
  tool_use_count: count.nullable().optional().meta({ description: described.tool_use_count }),
  transcript: z.string().nullable().optional().meta({
    description:
      'JSON lines, always whole. Credentials are replaced by markers before it is stored. A text that goes on from the stored one costs only what was added.',
  }),
}

export const NewSubagentTranscript = z.object({
  agent_id: agentId,
  ...facts,
  status: status.default('running').meta({ description: 'Its status.' }),
})

export const SubagentTranscriptChanges = z.object({ agent_id: agentId.optional(), ...facts, status: status.optional() })

export type NewSubagentTranscript = z.infer<typeof NewSubagentTranscript>
export type SubagentTranscriptChanges = z.infer<typeof SubagentTranscriptChanges>

export const SubagentFilters = z.object({
  status: z
    .string()
    .optional()
    .meta({ enum: [...subagentStatuses], description: 'Only those of this status.' }),
  subagent_type: z.string().optional().meta({ description: 'Only subagents of exactly this type.' }),
})

export type SubagentFilters = z.infer<typeof SubagentFilters>
