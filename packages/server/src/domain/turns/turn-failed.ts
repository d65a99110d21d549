import type { FailureReason } from '../inbox/inbox.ts'

/** Ends a turn as failed. The message is shown to users in the session's log. */
export class TurnFailed extends Error {
  override readonly name = 'TurnFailed'
  readonly reason: FailureReason

  constructor(reason: FailureReason, detail: string) {
    super(detail)
    this.reason = reason
  }
}
