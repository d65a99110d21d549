import type { TurnFailureReason } from '../runtime.ts'

/** What the agent does or is cannot lead to a good end of the turn. The message is a sentence for people. */
export class AgentTrouble extends Error {
  override readonly name = 'AgentTrouble'
  readonly reason: TurnFailureReason

  constructor(reason: TurnFailureReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/** It ended, or closed its output, while something was still expected of it. */
export class AgentGone extends Error {
  override readonly name = 'AgentGone'

  constructor() {
    super('The agent has ended')
  }
}
