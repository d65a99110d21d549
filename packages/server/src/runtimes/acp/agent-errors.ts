import type { TurnFailureReason } from '../runtime.ts'

/** A failure of the agent that ends the turn. The message is for the session's log. */
export class AgentError extends Error {
  override readonly name = 'AgentError'
  readonly reason: TurnFailureReason

  constructor(reason: TurnFailureReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/** The agent exited or closed its output before it answered. */
export class AgentGone extends Error {
  override readonly name = 'AgentGone'

  constructor() {
    super('The agent has ended')
  }
}
