import { type Problem, refusals } from '@yardmaster/contract/problem'
import type { Refusal } from '../refusal.ts'

export type ProblemReply = { status: number; body: Problem & Record<string, unknown> }

/** The only function that writes the error shape. */
export function problemReply({ kind, messages, beside }: Pick<Refusal, 'kind' | 'messages' | 'beside'>): ProblemReply {
  const { status, error } = refusals[kind]
  return { status, body: { error, message: messages.join(', '), messages: [...messages], ...beside } }
}
