import type { FailureReason } from '../inbox/inbox.ts'

/** A turn that cannot go on, and why, in words for whoever looks at the session. */
export class TurnFailed extends Error {
  override readonly name = 'TurnFailed'
  readonly reason: FailureReason

  constructor(reason: FailureReason, detail: string) {
    super(detail)
    this.reason = reason
  }
}
