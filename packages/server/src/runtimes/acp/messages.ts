import { z } from 'zod'

// The parts of an agent's messages that the driver reads. Agents implement different versions of the protocol: unknown fields
// are ignored, and a missing or invalid field reads as absent.

const flag = z.boolean().catch(false)
const isOffered = z
  .unknown()
  .optional()
  .transform((value) => typeof value === 'object' && value !== null)
const text = z.string().nullish().catch(undefined)

const SessionCapabilities = z.object({ resume: isOffered, systemPrompt: isOffered })
const McpCapabilities = z.object({ http: flag, sse: flag })
const Capabilities = z.object({
  loadSession: flag,
  mcpCapabilities: McpCapabilities.catch({ http: false, sse: false }),
  sessionCapabilities: SessionCapabilities.catch({ resume: false, systemPrompt: false }),
})

const noCapabilities: z.infer<typeof Capabilities> = {
  loadSession: false,
  mcpCapabilities: { http: false, sse: false },
  sessionCapabilities: { resume: false, systemPrompt: false },
}

/** The answer to `initialize`. */
export const InitializeResult = z.object({
  protocolVersion: z.number(),
  agentCapabilities: Capabilities.catch(noCapabilities),
  authMethods: z.array(z.object({ id: z.string() })).catch([]),
})
export type Capabilities = z.infer<typeof Capabilities>

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

/** For agents from before configuration options. */
const Models = z.object({
  currentModelId: z.string(),
  availableModels: z.array(z.object({ modelId: z.string(), name: text })),
})

/** The answer to `session/new`, `session/resume` and `session/load`. */
export const SessionOptions = z.object({
  modes: Modes.nullish().catch(undefined),
  models: Models.nullish().catch(undefined),
  configOptions: z.array(ConfigOption).nullish().catch(undefined),
})
export type SessionOptions = z.infer<typeof SessionOptions>

export const NewSession = z.object({ sessionId: z.string().min(1) })

const tokens = z.int().min(0)

/** The answer to a prompt. */
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

/** Text, an image, audio or a link. */
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

/** An agent's extension of an update: the tool's name and, for a subagent's update, the call that started the subagent. */
export function extensionOf(update: unknown): { toolName: string | undefined; parentCall: string | undefined } {
  const extension = Extension.safeParse(update).data?._meta.claudeCode
  return { toolName: extension?.toolName || undefined, parentCall: extension?.parentToolUseId || undefined }
}

/** A permission request describes the call like an update: it may hold only what is new. */
export const PermissionQuestion = z.object({ toolCall: z.looseObject(tool) }).transform(({ toolCall }): ToolUpdate => {
  const name = toolCall.name || extensionOf(toolCall).toolName
  return { ...ToolCall.parse(toolCall), name, sessionUpdate: 'tool_call_update' }
})
