import type { JsonObject } from '@yardmaster/contract/json'

/** A question of an agent to a person in the middle of its turn. */
export type Question = {
  message: string
  /** JSON Schema of the answer. Accepting a question without fields grants what it asks for. */
  schema: JsonObject
  /** The tool that the question is about. */
  toolName?: string | undefined
  context?: string | undefined
  /** All that accepting grants, as JSON text. The message may hold only a part of it. */
  input?: string | undefined
}

export type QuestionAnswer =
  | { action: 'accept'; content: JsonObject }
  /** `cancel`: dismissed, or no longer needed. */
  | { action: 'decline' | 'cancel' | 'expired' }

/** Waits for a person. Never rejects. `signal`: aborted when the agent no longer needs the answer. */
export type Ask = (question: Question, signal?: AbortSignal) => Promise<QuestionAnswer>

const noFields: JsonObject = { type: 'object', properties: {} }

/** A person grants it by accepting. `input`: all of it. */
export function permissionQuestion({
  input,
  ...question
}: Omit<Question, 'schema' | 'input'> & { input?: unknown }): Question {
  return { ...question, schema: noFields, ...(input !== undefined && { input: JSON.stringify(input) }) }
}

/** A question of an MCP server that an agent passes on: a form, or an address that the person is asked to open. */
export function elicitedQuestion({ url, ...question }: Question & { url?: string | undefined }): Question {
  if (url === undefined) return question
  return { ...question, message: `${question.message}\nOpen this address: ${url}`, schema: noFields }
}

/** One question of a form: with choices, or free text without any. */
export type Field = {
  name: string
  title: string
  question: string
  choices: readonly { label: string; description?: string | undefined }[]
  isMultiple?: boolean
}

/** Several questions as one form. */
export function formQuestion(fields: readonly Field[], about: Omit<Question, 'schema' | 'message'> = {}): Question {
  return {
    ...about,
    message: fields.map(({ question }) => question).join('\n'),
    schema: {
      type: 'object',
      properties: Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)])),
      required: fields.map(({ name }) => name),
    },
  }
}

function schemaOf({ title, question, choices, isMultiple = false }: Field): JsonObject {
  const explained = choices.flatMap(({ label, description }) => (description ? `${label}: ${description}` : []))
  const texts = { title, description: [question, ...explained].join('\n') }
  const choice = { type: 'string', ...(choices.length > 0 && { enum: choices.map(({ label }) => label) }) }
  return isMultiple ? { type: 'array', items: choice, ...texts } : { ...choice, ...texts }
}

/** What the agent is told when it does not get what it asked for. */
export const refusals: Record<Exclude<QuestionAnswer['action'], 'accept'>, string> = {
  decline: 'A person declined this. Continue without it, or find another way.',
  cancel: 'A person dismissed this without an answer. Continue without it.',
  expired:
    'No person answered in time, so this counts as declined. Continue without it, or say what you need at the end.',
}
