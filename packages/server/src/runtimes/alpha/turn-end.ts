import type { ExitStatus } from '../../platform/process/spawn-group.ts'
import type { TurnEnd } from '../runtime.ts'
import { failed, failureOf } from './failures.ts'
import type { AlphaResult } from './protocol.ts'

export type Ending = {
  /** Whether we asked it to stop. Then it does not matter what it says of its end, and one version says "success". */
  wasInterrupted: boolean
  /** Why we stopped it by ourselves, if we did. */
  gaveUp: TurnEnd | undefined
  result: AlphaResult | undefined
  exit: ExitStatus
  /** The end of standard error. */
  complaint: string
}

/**
 * A turn is completed when the CLI says that there was no error and then ends well; neither is enough alone. It exits
 * with 0 when it was interrupted by a signal, and can report a good end on its way out after SIGTERM.
 */
export function judgeEnd({ wasInterrupted, gaveUp, result, exit, complaint }: Ending): TurnEnd {
  if (wasInterrupted) return { kind: 'interrupted' }
  if (gaveUp) return gaveUp
  if (result && !result.isError && exit.code === 0) return { kind: 'completed' }
  if (result?.terminalReason.startsWith('aborted')) return crash(exit, 'Somebody else interrupted it.')
  if (result?.isError) return failureOf({ ...result, text: result.text || complaint })
  return complaintKnown(complaint) ?? crash(exit, complaint)
}

/** What it says on standard error when it does not even begin. */
function complaintKnown(complaint: string): TurnEnd | undefined {
  if (/session id .* is already in use/i.test(complaint))
    return failed('no_session', complaint, 'Another agent has this conversation; wait for it to end and restart.')
  if (/cannot be used with root/i.test(complaint))
    return failed('agent_error', complaint, 'Run Yardmaster as an ordinary user.')
  if (/unknown option/i.test(complaint))
    return failed('agent_error', complaint, 'Install a version of the CLI that this driver knows (2.1.197 or later).')
  if (/no conversation found/i.test(complaint))
    return failureOf({ status: undefined, terminalReason: '', text: complaint })
  return undefined
}

function crash(exit: ExitStatus, complaint: string): TurnEnd {
  const how = exit.signal ? `was killed by ${exit.signal}` : `exited with code ${exit.code}`
  const advice = 'Restart the session to let it go on from where it stopped.'
  return failed(
    'crash',
    [`The agent process ${how} before it finished the turn.`, complaint.trim()].filter(Boolean).join(' '),
    advice,
  )
}
