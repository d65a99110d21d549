import type { ExitStatus } from '../../platform/process/spawn-group.ts'
import type { AccountSignal } from '../accounts/vendor-accounts.ts'
import type { TurnEnd } from '../runtime.ts'
import { failed, failureOf } from './failures.ts'
import type { AlphaLimit, AlphaResult } from './protocol.ts'

export type TurnOutcome = {
  /** Whether the driver asked the CLI to stop. Overrides the result: one version reports "success" then. */
  wasInterrupted: boolean
  /** The end that the driver decided before the CLI did, if any. */
  earlyEnd: TurnEnd | undefined
  result: AlphaResult | undefined
  /** The last report of the vendor's limits. */
  limit?: AlphaLimit | undefined
  exit: ExitStatus
  /** The last part of standard error. */
  stderr: string
}

/**
 * A turn is completed if the CLI reports no error and then exits with 0; neither is enough alone. The CLI exits with 0 after
 * SIGINT, and may report success after SIGTERM.
 */
export function decideTurnEnd({ wasInterrupted, earlyEnd, result, limit, exit, stderr }: TurnOutcome): TurnEnd {
  if (wasInterrupted) return { kind: 'interrupted' }
  if (earlyEnd) return earlyEnd
  if (result && !result.isError && exit.code === 0) return { kind: 'completed' }
  if (result?.terminalReason.startsWith('aborted'))
    return crash(exit, 'Something other than Yardmaster interrupted it.')
  if (result?.isError) return { ...failureOf({ ...result, text: result.text || stderr }), ...signalOf(result, limit) }
  return knownStartError(stderr) ?? crash(exit, stderr)
}

/** By the status and the rate-limit headers, never by the text. A 429 without them is a request too many, and no spent quota. */
function signalOf({ status }: AlphaResult, limit: AlphaLimit | undefined): { signal?: AccountSignal } {
  if (status === 401 || status === 403) return { signal: { kind: 'login_rejected' } }
  if (status !== 429 || limit?.status !== 'rejected') return {}
  const window = limit.window === undefined ? null : limit.window === 'five_hour' ? 'five_hour' : 'weekly'
  return { signal: { kind: 'quota_spent', window, resetsAt: limit.resetsAt ?? null } }
}

/** Errors that the CLI prints to standard error before it starts a turn. */
function knownStartError(stderr: string): TurnEnd | undefined {
  if (/session id .* is already in use/i.test(stderr))
    return failed('no_session', stderr, 'Another agent uses this conversation; wait for it to end and restart.')
  if (/cannot be used with root/i.test(stderr))
    return failed('agent_error', stderr, 'Run Yardmaster as an ordinary user.')
  if (/unknown option/i.test(stderr))
    return failed('agent_error', stderr, 'Install a version of the CLI that this driver supports (2.1.197 or later).')
  if (/no conversation found/i.test(stderr)) return failureOf({ status: undefined, terminalReason: '', text: stderr })
  return undefined
}

function crash(exit: ExitStatus, stderr: string): TurnEnd {
  const how = exit.signal ? `was killed by ${exit.signal}` : `exited with code ${exit.code}`
  const advice = 'Restart the session to continue from where it stopped.'
  return failed(
    'crash',
    [`The agent process ${how} before it finished the turn.`, stderr.trim()].filter(Boolean).join(' '),
    advice,
  )
}
