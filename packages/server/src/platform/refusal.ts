import type { RefusalKind } from '@yardmaster/contract/problem'

/**
 * Something a caller may do wrong or meet: a kind and sentences that say what to do next. Thrown by the operation that
 * knows, answered in one place; it holds nothing of HTTP.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly kind: RefusalKind
  readonly messages: readonly string[]
  /** Further top-level keys of the answer, such as `retry_after`. */
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
