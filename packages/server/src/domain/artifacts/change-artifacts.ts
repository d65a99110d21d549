import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Session } from '@yardmaster/contract/sessions/fields'
import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { lookUp, type ServerToAuthorize, serversToAuthorize } from '../catalog/catalog.ts'
import { isParked, resumeParked } from '../connectors/connector.ts'
import { note } from '../logs/log.ts'
import {
  lockSession,
  readMetadata,
  recordArtifacts,
  type SessionRow,
  showRow,
  transition,
} from '../sessions/session.ts'
import type { ListRules } from './list-rules.ts'

export type ChangedArtifacts = { session: Session; needsAuthorization: ServerToAuthorize[] }

/** Replaces the whole list. The change applies from the next turn; a live turn keeps the old list. */
export async function changeArtifacts(
  app: App,
  ref: SessionRef,
  rules: ListRules,
  chosen: readonly string[],
): Promise<ChangedArtifacts> {
  const names = knownNames(app, rules, chosen)
  return transact(app.db, async (tx) => {
    const session = await lockSession(tx, ref)
    await recordArtifacts(tx, session.id, { [rules.list]: names })
    await noteDifference(app, tx, session, rules, names)
    const changed = { ...session, [rules.list]: names }
    const needsAuthorization = rules.bringsServers ? await serversToAuthorize(app.catalog, changed, tx) : []
    if (rules.bringsServers) await parkOrResume(app, tx, changed, needsAuthorization)
    return { session: await showRow(app, tx, { id: session.id }), needsAuthorization }
  })
}

function knownNames(app: App, { list, words }: ListRules, names: readonly string[]): string[] {
  const { known, unknown } = lookUp(app.catalog.current(), list, names)
  if (unknown.length > 0) refuse('invalid_entries', `Invalid ${words}: ${unknown.join(', ')}`)
  return known
}

async function noteDifference(
  app: App,
  tx: Transaction,
  session: SessionRow,
  { list, words }: ListRules,
  names: readonly string[],
): Promise<void> {
  const before = session[list]
  const added = names.filter((name) => !before.includes(name))
  const removed = before.filter((name) => !names.includes(name))
  if (added.length + removed.length === 0) return
  const parts = [
    added.length > 0 ? `added ${added.join(', ')}` : [],
    removed.length > 0 ? `removed ${removed.join(', ')}` : [],
  ].flat()
  await note(app, tx, session.id, `Changed the ${words}: ${parts.join('; ')}. The change applies from the next turn.`)
}

/** Parks the session until a person authorizes its servers, or resumes it if it needs none of them any more. A session with a running turn is not parked. */
async function parkOrResume(
  app: App,
  tx: Transaction,
  session: SessionRow,
  servers: ServerToAuthorize[],
): Promise<void> {
  if (isParked(session)) {
    await resumeParked(app, tx, { session, servers, why: 'No server has to be authorized any more.' })
    return
  }
  if (servers.length === 0) return
  if (session.status !== 'waiting' && session.status !== 'needs_input') return
  // Its turn runs: the agent waits for a person.
  if (readMetadata(session).blocked_on_elicitation) return
  const metadata = { failure_reason: 'oauth_required', oauth_required_servers: servers }
  await transition(app, tx, { sessionId: session.id, cause: 'authorization_required', with: { metadata } })
  const names = servers.map(({ server_name }) => server_name).join(', ')
  await note(app, tx, session.id, `Parked until a person authorizes ${names}.`, 'warning')
}
