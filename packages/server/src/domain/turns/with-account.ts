import { untilReachable } from '../../platform/db/until-reachable.ts'
import type { Runtime, TurnOrder } from '../../runtimes/runtime.ts'
import { releaseTurn, type Service, serveTurn, settleFailure } from '../accounts/account.ts'
import type { App } from '../app.ts'
import { openProviderKey } from '../provider-keys/provider-key.ts'
import { recordAccount } from '../sessions/session.ts'
import type { Claim } from './claim.ts'
import type { Outcome } from './end-turn.ts'

/** What an agent signs in with, besides what this host has. */
export type Access = Pick<TurnOrder, 'login' | 'providerKey'>

/**
 * Runs an agent with the vendor account that serves its runtime. If the account fails, the pool moves on and the turn
 * continues, or the session waits for the pool. Without accounts the host's own keys are used.
 */
export async function withAccount(
  app: App,
  claim: Claim,
  runtime: Runtime,
  run: (access: Access) => Promise<Outcome>,
): Promise<Outcome> {
  const { session, hold } = claim
  const service = await untilReachable(() => serveTurn(app, { runtime, sessionId: session.id, marker: hold.marker }))
  if (service.kind === 'outage') return service
  if (service.kind === 'host') {
    const providerKey = await openProviderKey(app, runtime)
    return run(providerKey === undefined ? {} : { providerKey })
  }
  try {
    await claim.write((tx) => recordAccount(tx, session.id, { auth_identity_email: service.email }))
    return await settled(app, claim, service, await run({ login: service.login }))
  } finally {
    await untilReachable(() => releaseTurn(app, hold.marker))
  }
}

async function settled(
  app: App,
  { session }: Claim,
  { accountId, login }: Extract<Service, { kind: 'account' }>,
  outcome: Outcome,
): Promise<Outcome> {
  const end = outcome.kind === 'failed' ? agentFailure(outcome) : undefined
  if (!end) return outcome
  const consequence = await untilReachable(() =>
    settleFailure(app, { runtime: session.agent_runtime, sessionId: session.id, accountId, login, end }),
  )
  if (consequence.kind === 'outage') return consequence
  return consequence.kind === 'continue' ? { kind: 'rotated', sentence: consequence.sentence } : outcome
}

/** A failure that the runtime reports; ours have nothing to do with an account. */
function agentFailure({ reason, detail, signal }: Extract<Outcome, { kind: 'failed' }>) {
  return reason === 'auth' || reason === 'rate_limit' || signal
    ? {
        kind: 'failed' as const,
        reason: reason === 'auth' ? reason : ('rate_limit' as const),
        detail,
        ...(signal && { signal }),
      }
    : undefined
}
