import { z } from 'zod'

// What we read of an agent's messages. The protocol grows and agents are of all ages: what we do not need is not looked
// at, and what is missing or strange counts as not there.

const flag = z.boolean().catch(false)
const isOffered = z
  .unknown()
  .optional()
  .transform((value) => typeof value === 'object' && value !== null)
const text = z.string().nullish().catch(undefined)

const SessionAbilities = z.object({ resume: isOffered, systemPrompt: isOffered })
const McpAbilities = z.object({ http: flag, sse: flag })
const Abilities = z.object({
  loadSession: flag,
  mcpCapabilities: McpAbilities.catch({ http: false, sse: false }),
  sessionCapabilities: SessionAbilities.catch({ resume: false, systemPrompt: false }),
})

const noAbilities: z.infer<typeof Abilities> = {
  loadSession: false,
  mcpCapabilities: { http: false, sse: false },
  sessionCapabilities: { resume: false, systemPrompt: false },
}

/** Its answer to `initialize`. */
export const Introduction = z.object({
  protocolVersion: z.number(),
  agentCapabilities: Abilities.catch(noAbilities),
  authMethods: z.array(z.object({ id: z.string() })).catch([]),
})
export type Abilities = z.infer<typeof Abilities>

const Choice = z.object({ value: z.string(), name: text })
const ChoiceGroup = z.object({ options: z.array(Choice) }).transform(({ options }) => options)

const ConfigOption = z.object({
  id: z.string(),
  category: text,
  currentValue: z.unknown().optional(),
  options: z
    .array(z.union([ChoiceGroup, Choice]))
    .transform((options) => options.flat())
    .catch([]),
})

const Modes = z.object({
  currentModeId: z.string(),
  availableModes: z.array(z.object({ id: z.string(), name: text })),
})

/** Agents that are older than the configuration options have their models here. */
const Models = z.object({
  currentModelId: z.string(),
  availableModels: z.array(z.object({ modelId: z.string(), name: text })),
})

/** Its answer to opening a session, in whatever way. */
export const SessionOffer = z.object({
  modes: Modes.nullish().catch(undefined),
  models: Models.nullish().catch(undefined),
  configOptions: z.array(ConfigOption).nullish().catch(undefined),
})
export type SessionOffer = z.infer<typeof SessionOffer>

export const NewSession = z.object({ sessionId: z.string().min(1) })

const tokens = z.int().min(0)

/** Its answer to a prompt. */
export const PromptEnd = z.object({
  stopReason: z.string(),
  usage: z
    .object({
      inputTokens: tokens,
      outputTokens: tokens,
      cachedReadTokens: tokens.nullish().catch(undefined),
      cachedWriteTokens: tokens.nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
})
export type TokenUsage = NonNullable<z.infer<typeof PromptEnd>['usage']>

/** Text, or what cannot be told in text: pictures, sounds, links. */
const Content = z.object({ type: z.string(), text, mimeType: text, uri: text })
export type Content = z.infer<typeof Content>

const ToolContent = z.object({
  type: z.string(),
  content: Content.nullish().catch(undefined),
  path: text,
  oldText: text,
  newText: text,
})
export type ToolContent = z.infer<typeof ToolContent>

const chunk = { content: Content, messageId: text }
const tool = {
  toolCallId: z.string(),
  title: text,
  name: text,
  kind: text,
  status: text,
  content: z.array(ToolContent).nullish().catch(undefined),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
}

const ToolCall = z.object(tool)

const Update = z.discriminatedUnion('sessionUpdate', [
  z.object({ sessionUpdate: z.literal('agent_message_chunk'), ...chunk }),
  z.object({ sessionUpdate: z.literal('agent_thought_chunk'), ...chunk }),
  z.object({ sessionUpdate: z.literal('tool_call'), ...tool }),
  z.object({ sessionUpdate: z.literal('tool_call_update'), ...tool }),
  z.object({ sessionUpdate: z.literal('plan'), entries: z.array(z.object({ content: z.string(), status: text })) }),
  z.object({ sessionUpdate: z.literal('notice'), title: z.string(), description: text }),
])
export type Update = z.infer<typeof Update>
export type ToolUpdate = Extract<Update, { toolCallId: string }>

export const Notification = z.object({ sessionId: z.string(), update: Update })

const Extension = z.object({ _meta: z.object({ claudeCode: z.object({ parentToolUseId: text, toolName: text }) }) })

/**
 * What an agent says of an update in the room that the protocol leaves to agents: which tool it is about, and, of what a
 * subagent does, the call that started it.
 */
export function extensionOf(update: unknown): { toolName: string | undefined; parentCall: string | undefined } {
  const said = Extension.safeParse(update).data?._meta.claudeCode
  return { toolName: said?.toolName || undefined, parentCall: said?.parentToolUseId || undefined }
}

/** What an agent asks before it makes a call: an update like others of the call, which may say only what is new. */
export const PermissionQuestion = z.object({ toolCall: z.looseObject(tool) }).transform(({ toolCall }): ToolUpdate => {
  const name = toolCall.name || extensionOf(toolCall).toolName
  return { ...ToolCall.parse(toolCall), name, sessionUpdate: 'tool_call_update' }
})
