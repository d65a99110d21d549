import type { turnOutcomes, turnSources, turnStates, withdrawals } from '@yardmaster/contract/inbox/turn-fields'
import type { Generated } from 'kysely'
import { turnFailureReasons } from '../../runtimes/runtime.ts'

export type TurnSource = (typeof turnSources)[number]
export type TurnState = (typeof turnStates)[number]
export type TurnOutcome = (typeof turnOutcomes)[number]

/** Why a turn failed: reported by the runtime, or found by us before or while the agent ran. */
export const failureReasons = [
  ...turnFailureReasons,
  'silent',
  'git_clone_failed',
  'clone_validation_failed',
  'spawn_failed',
  'oauth_required',
  'exception',
] as const
export type FailureReason = (typeof failureReasons)[number]

/** The request that ends a turn early. */
export type Withdrawal = (typeof withdrawals)[number]

declare module '../../platform/db/tables.ts' {
  interface Tables {
    turns: {
      id: Generated<string>
      session_id: number
      sequence: number
      source: TurnSource
      prompt: string
      goal: string | null
      state: Generated<TurnState>
      outcome: TurnOutcome | null
      failure_reason: FailureReason | null
      error: string | null
      message_id: number | null
      /** The trigger whose prompt it carries. */
      trigger_id: number | null
      /** Whether a person sent the prompt. */
      is_by_person: Generated<boolean>
      /** The trace of the request that brought the prompt, where traces are sent. */
      traceparent: string | null
      withdrawn_by: Withdrawal | null
      lease_owner: string | null
      lease_expires_at: Date | null
      run_marker: string | null
      /** Digest of the API key that the agent of this run uses. */
      key_digest: Buffer | null
      pid: number | null
      pid_start_time: string | null
      /** How often it failed before its agent received the prompt. */
      failed_starts: Generated<number>
      /** Not dispatched before this time: a pause after a failed start. */
      retry_at: Date | null
      created_at: Generated<Date>
      dispatched_at: Date | null
      /** When the receipt of the prompt was recorded, a moment after the process started. */
      started_at: Date | null
      ended_at: Date | null
    }
  }
}
