import { z } from 'zod'
import { Id } from '../identifiers.ts'
import { JsonObject } from '../json.ts'
import { limits } from '../limits.ts'
import { optionallySent, refuseField, sent } from '../sent.ts'
import { isAtMost, text } from '../text.ts'
import { Timestamp } from '../timestamp.ts'

/** What a person may answer. */
export const answerActions = ['accept', 'decline', 'cancel'] as const
export type AnswerAction = (typeof answerActions)[number]

/** `expired` is set by the service: no person answered in time, or the asker went away. */
export const elicitationStatuses = ['pending', ...answerActions, 'expired'] as const
export type ElicitationStatus = (typeof elicitationStatuses)[number]

export const askers = ['mcp_server', 'api', 'agent'] as const
export type Asker = (typeof askers)[number]

export const lostReasons = ['expired', 'stranded'] as const
export type LostReason = (typeof lostReasons)[number]

/** The namespace of our own keys in `_meta`. Askers may use one of their own, and are answered in it. */
export const ownNamespace = 'com.yardmaster'

const namespacedKey = /^([a-z\d-]+(?:\.[a-z\d-]+)+)\/(request-id|session-id|expires-at|tool-name|context)$/i

export type ElicitationMeta = {
  namespace: string
  requestId: string | undefined
  sessionId: string | undefined
  expiresAt: string | undefined
  toolName: string | undefined
  context: string | undefined
}

/** The keys of one namespace: that of the request id, else of the first key that has one. A blank value is absent. */
export function readMeta(meta: unknown): ElicitationMeta {
  const keys = Object.keys(Object(meta)).flatMap((key) => {
    const [, namespace = '', name = ''] = namespacedKey.exec(key) ?? []
    return name === '' ? [] : [{ key, namespace, name: name.toLowerCase() }]
  })
  const { namespace } = keys.find(({ name }) => name === 'request-id') ?? keys[0] ?? { namespace: ownNamespace }
  const textOf = (name: string): string | undefined => {
    const key = keys.find((each) => each.namespace === namespace && each.name === name)?.key
    const value: unknown = key === undefined ? undefined : Reflect.get(Object(meta), key)
    const written = typeof value === 'number' ? String(value) : value
    return typeof written === 'string' && written.trim() !== '' ? written : undefined
  }
  return {
    namespace,
    requestId: textOf('request-id'),
    sessionId: textOf('session-id'),
    expiresAt: textOf('expires-at'),
    toolName: textOf('tool-name'),
    context: textOf('context'),
  }
}

/** What is read of a question before the rest is checked: the session that it names. */
export const ClaimedSession = z.object({
  _meta: z
    .unknown()
    .optional()
    .transform((meta) => readMeta(meta).sessionId),
})

const Mode = optionallySent<'form'>()
  .transform((value, context): 'form' => {
    if (value === undefined || value === null || value === 'form') return 'form'
    return refuseField(context, 'unprocessable', 'Mode must be form')
  })
  .meta({ type: 'string', enum: ['form'], description: 'Only `form` exists.' })

const Message = sent<string>()
  .transform((value, context): string => {
    if (value === undefined || value === null || (typeof value === 'string' && value.trim() === ''))
      return refuseField(context, 'missing_parameter', "Message can't be blank")
    if (typeof value !== 'string') return refuseField(context, 'validation_failed', 'Message must be a string')
    if (isAtMost(value, limits.elicitation.message)) return value
    const problem = `Message is too long (maximum is ${limits.elicitation.message} characters)`
    return refuseField(context, 'validation_failed', problem)
  })
  .meta({
    type: 'string',
    description: 'The question.',
    maxLength: limits.elicitation.message,
    examples: ['Send this mail to billing@acme.test?'],
  })

/** An object whose JSON is short enough. Absent and null are the same. */
function smallObject(name: string) {
  return z.unknown().transform((value, context): JsonObject | null => {
    if (value === undefined || value === null) return null
    if (typeof value !== 'object' || Array.isArray(value))
      return refuseField(context, 'validation_failed', `${name} must be an object`)
    if (JSON.stringify(value).length <= limits.elicitation.objectCharacters) return value as JsonObject // it came as JSON
    const problem = `${name} is too large (maximum is ${limits.elicitation.objectCharacters} characters of JSON)`
    return refuseField(context, 'validation_failed', problem)
  })
}

const RequestedSchema = smallObject('Requested schema')
  .optional()
  .transform((value) => value ?? null)
  .meta({
    type: ['object', 'null'],
    description: 'JSON Schema of the answer: an object of strings, numbers, booleans and choices. Answers must fit it.',
  })

/** It becomes a segment of the poll url, where a router counts UTF-16 units. Digits alone are the numeric id of a question. */
function problemWithRequestId(id: string): string | undefined {
  const max = limits.elicitation.requestId
  if (id.length > max) return `Request is too long (maximum is ${max} characters)`
  if (id === '.' || id === '..') return 'Request must not be a relative path'
  return /^\d+$/.test(id) ? 'Request must not consist of digits only' : undefined
}

const Meta = smallObject('Meta')
  .optional()
  .transform((value, context) => {
    const meta = readMeta(value)
    const { requestId } = meta
    if (requestId === undefined) return refuseField(context, 'missing_parameter', "Request id can't be blank")
    const problem = problemWithRequestId(requestId)
    if (problem !== undefined) return refuseField(context, 'validation_failed', problem)
    return { ...meta, requestId, all: value ?? {} }
  })
  .meta({
    type: 'object',
    description:
      'Keys with a reverse-DNS namespace: `<namespace>/request-id` (required, chosen by the asker, unique), and `session-id`, `expires-at`, `tool-name`, `context`.',
    examples: [{ 'com.yardmaster/request-id': '5a0b6c1e', 'com.yardmaster/session-id': '4821' }],
  })

export const NewElicitation = z.object({
  _meta: Meta,
  message: Message,
  mode: Mode,
  requestedSchema: RequestedSchema,
})
export type NewElicitation = z.output<typeof NewElicitation>

/** The question was stored. */
export const RaisedElicitation = z.object({
  action: z.literal('pending').meta({ description: 'It waits for a person.' }),
  _meta: JsonObject.meta({
    description: '`<namespace>/request-id` and `<namespace>/poll-url`, where to ask for the answer.',
  }),
})

/** Where a question stands, for its asker. */
export const ElicitationPoll = z
  .object({
    action: z.enum(elicitationStatuses).meta({ description: 'The answer, or `pending`, or `expired`.' }),
    content: JsonObject.nullable().meta({ description: 'What the person filled in; null unless accepted.' }),
    _meta: JsonObject.meta({
      description: '`<namespace>/request-id`, and once it is answered `<namespace>/responded-at`.',
    }),
  })
  .meta({ id: 'ElicitationPoll' })
export type ElicitationPoll = z.infer<typeof ElicitationPoll>

const Action = sent<AnswerAction>()
  .transform((value, context): AnswerAction => {
    const action = answerActions.find((each) => each === value)
    return action ?? refuseField(context, 'unprocessable', `action_type must be one of: ${answerActions.join(', ')}`)
  })
  .meta({ type: 'string', enum: [...answerActions], description: 'The answer.' })

/** Read with `accept` only: what a person filled in before declining makes no difference. */
const Content = optionallySent<JsonObject | string | null>().meta({
  type: ['object', 'null'],
  description: 'The values of the form, which must fit the requested schema. Read and kept only with `accept`.',
})

export const ElicitationAnswer = z.object({ action_type: Action, content: Content })
export type ElicitationAnswer = z.output<typeof ElicitationAnswer>

export const Elicitation = z
  .object({
    id: Id,
    request_id: z.string().meta({ description: 'The id that its asker chose, unique in the service.' }),
    session_id: z.int().meta({ description: 'The session that asks.' }),
    status: z.enum(elicitationStatuses).meta({ description: 'Where it stands.' }),
    mode: z.literal('form').meta({ description: 'How it is answered: by a form.' }),
    message: z.string().meta({ description: 'The question.' }),
    requested_schema: JsonObject.nullable().meta({ description: 'JSON Schema of the answer.' }),
    meta: JsonObject.meta({ description: 'The `_meta` as it was sent.' }),
    tool_name: z.string().nullable().meta({ description: 'The tool that asks.' }),
    context: z.string().nullable().meta({ description: 'Why it asks.' }),
    mcp_session_id: z.string().nullable().meta({ description: 'The session as the asker named it.' }),
    asked_by: z
      .enum(askers)
      .meta({ description: 'An MCP server of the session, a caller with an API key, or the agent itself.' }),
    content: JsonObject.nullable().meta({ description: 'What the person filled in; null unless accepted.' }),
    lost_reason: z
      .enum(lostReasons)
      .nullable()
      .meta({ description: 'Why it expired: `expired` in time, or `stranded`, because its asker went away.' }),
    expires_at: Timestamp.meta({ description: 'When it expires unless it is answered.' }),
    responded_at: Timestamp.nullable().meta({ description: 'When it was answered or expired.' }),
    delivered_at: Timestamp.nullable().meta({
      description: 'When its asker got the answer, or withdrew the question.',
    }),
    created_at: Timestamp.meta({ description: 'When it was asked.' }),
    updated_at: Timestamp.meta({ description: 'When it last changed.' }),
  })
  .meta({ id: 'Elicitation' })
export type Elicitation = z.infer<typeof Elicitation>

/** In a path. The two polls accept only this, never the numeric id. */
export const RequestId = z
  .string()
  .min(1)
  .meta({ description: 'The id that the asker chose.', examples: ['5a0b6c1e-9f5d-4c07-8a57-0a1b2c3d4e5f'] })

export const ElicitationFilters = z.object({
  session_id: text(limits.slug).optional().meta({ description: 'Only of this session: its id or slug.' }),
  status: z
    .string()
    .optional()
    .meta({ description: `Only with this status: ${elicitationStatuses.join(', ')}.` }),
})
export type ElicitationFilters = z.output<typeof ElicitationFilters>
