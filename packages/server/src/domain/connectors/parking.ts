import type { Database, Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import type { App } from '../app.ts'
import { type ServerToAuthorize, serversOf, serversToAuthorize } from '../catalog/catalog.ts'
import { credentialKeyOf, findToken, recordNeed, spawnMarginSeconds } from '../credentials/credential.ts'
import { connectorsChanged } from '../credentials/events.ts'
import { withdrawLiveTurn } from '../inbox/inbox.ts'
import { note } from '../logs/log.ts'
import { lockSessionIfThere, readMetadata, type SessionRow, transition } from '../sessions/session.ts'
import { selectParked } from './parking-store.ts'
import { remoteServerOf } from './remote-server.ts'
import { isParked, resumeParked } from './resume-parked.ts'

/**
 * Before an agent starts: refreshes the tokens that expire soon, and returns the servers that a person must authorize first. A
 * server that cannot be asked now does not keep the agent from starting.
 */
export async function prepareConnectors(app: App, session: SessionRow): Promise<ServerToAuthorize[]> {
  const tree = app.catalog.current()
  const remote = serversOf(tree, session).flatMap((name) => {
    const server = tree.mcpServers.find(name)
    return (server && remoteServerOf(server)) ?? []
  })
  if (remote.length === 0) return []
  await Promise.all(
    remote.map((server) => findToken(app, credentialKeyOf(server), { marginSeconds: spawnMarginSeconds })),
  )
  return transact(app.db, (tx) => serversToAuthorize(app.catalog, session, tx))
}

export function parkingSentence(servers: readonly ServerToAuthorize[]): string {
  return `A person must authorize ${servers.map(({ server_name }) => server_name).join(', ')} first.`
}

/** A server has turned out to ask for a sign-in: it is remembered, and the session waits for a person. */
export async function parkForServer(app: App, sessionId: number, serverName: string): Promise<void> {
  const server = app.catalog.current().mcpServers.find(serverName)
  const remote = server && remoteServerOf(server)
  if (!remote) return
  await transact(app.db, async (tx) => {
    await recordNeed(tx, remote.url, true)
    await app.events.publish(tx, connectorsChanged, { payload: {} })
    const session = await lockSessionIfThere(tx, { id: sessionId })
    if (session?.status !== 'running') return
    const servers = await serversToAuthorize(app.catalog, session, tx)
    if (servers.length === 0) return
    await withdrawLiveTurn(tx, session.id, 'pause')
    const metadata = { failure_reason: 'oauth_required', oauth_required_servers: servers }
    await transition(app, tx, { sessionId: session.id, cause: 'authorization_required', with: { metadata } })
    await note(app, tx, session.id, `Parked: ${parkingSentence(servers)}`, 'warning')
  })
}

/** Resumes the parked sessions that have what they need; the others wait for fewer servers. Returns those that were resumed. */
export async function resumeWaiting(app: App, tx: Transaction, serverName: string): Promise<number[]> {
  const resumed: number[] = []
  for (const parked of await selectParked(tx)) {
    if (!namesIn(parked.servers).includes(serverName)) continue
    if (await resumeIfAuthorized(app, tx, parked.id)) resumed.push(parked.id)
  }
  return resumed
}

/** The row lock decides: a session that another transaction has resumed is no longer parked. */
async function resumeIfAuthorized(app: App, tx: Transaction, id: number): Promise<boolean> {
  const session = await lockSessionIfThere(tx, { id })
  if (!session || !isParked(session)) return false
  const servers = await serversToAuthorize(app.catalog, session, tx)
  const changes = { metadata: { oauth_complete: true } } as const
  return resumeParked(app, tx, { session, servers, why: 'The servers are authorized.', changes })
}

/**
 * Resumes the sessions that were parked while a person completed their last authorization, and those whose plugins no longer bring the
 * server. A session that waits for a server which still needs a person is not locked, however many there are.
 */
export async function sweepParked(app: App): Promise<void> {
  const isOpen = new Map<string, boolean>()
  for (const { id, servers, ...selection } of await selectParked(app.db)) {
    const names = namesIn(servers)
    // A session that names no server was parked by other means: a person restarts it.
    if (names.length === 0) continue
    const chosen = serversOf(app.catalog.current(), selection)
    const needed = names.filter((name) => chosen.includes(name))
    for (const name of needed) if (!isOpen.has(name)) isOpen.set(name, await isUsable(app, name))
    if (needed.every((name) => isOpen.get(name))) await transact(app.db, (tx) => resumeIfAuthorized(app, tx, id))
  }
}

/** A server that left the catalog keeps no session waiting. */
async function isUsable(app: App, serverName: string): Promise<boolean> {
  const selection = { mcp_servers: [serverName], catalog_plugins: [] }
  return transact(app.db, async (tx) => (await serversToAuthorize(app.catalog, selection, tx)).length === 0)
}

/** Which sessions wait for each server. */
export async function waitingSessions(
  db: Database,
): Promise<Map<string, { id: number; slug: string | null; title: string | null }[]>> {
  const waiting = new Map<string, { id: number; slug: string | null; title: string | null }[]>()
  for (const { id, slug, title, servers } of await selectParked(db)) {
    for (const name of namesIn(servers)) waiting.set(name, [...(waiting.get(name) ?? []), { id, slug, title }])
  }
  return waiting
}

function namesIn(json: string | null): string[] {
  const { oauth_required_servers: servers = [] } = readMetadata({
    metadata: { oauth_required_servers: JSON.parse(json ?? '[]') },
  })
  return servers.map(({ server_name }) => server_name)
}
