import type { RefusalKind } from '@yardmaster/contract/problem'

/**
 * A request that cannot be fulfilled because of the caller or the current state: a kind, and sentences that say what to
 * do next. Thrown by the operation that detects it, and mapped to HTTP in one place.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly kind: RefusalKind
  readonly messages: readonly string[]
  /** Additional top-level keys of the answer, such as `retry_after`. */
  readonly beside: Record<string, unknown>

  constructor(kind: RefusalKind, messages: readonly string[], beside: Record<string, unknown> = {}) {
    super(messages.join(', '))
    this.kind = kind
    this.messages = messages
    this.beside = beside
  }
}

export function refuse(
  kind: RefusalKind,
  messages: string | readonly string[],
  beside?: Record<string, unknown>,
): never {
  throw new Refusal(kind, typeof messages === 'string' ? [messages] : messages, beside)
}

export function refuseMissing(): never {
  refuse('not_found', 'The requested resource was not found')
}
