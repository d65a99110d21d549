import { type RawBuilder, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    hosts: { id: string; seen_at: Date }
  }
}

export async function upsertHost(db: Database, id: string): Promise<void> {
  await sql`
    insert into hosts (id, seen_at)
    values (${id}, now())
    on conflict (id) do update set seen_at = now()
  `.execute(db)
}

/** A host whose turns were taken over gets no new ones until it reports itself alive again. */
export async function markHostsDead(db: Database, ids: readonly string[]): Promise<void> {
  await db.updateTable('hosts').set({ seen_at: sql<Date>`'-infinity'` }).where('id', 'in', ids).execute()
}

/** Longer than a lease, so that other hosts have already taken over the turns of a host that counts as dead. */
const deadAfterSeconds = 20

/** Whether another host than `owner` is alive. */
export function hasPeers(owner: string): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from hosts
    where hosts.id <> ${owner} and hosts.seen_at > now() - make_interval(secs => ${deadAfterSeconds})
  )`
}

export async function isHostAlive(tx: Transaction, id: string): Promise<boolean> {
  const host = await tx
    .selectFrom('hosts')
    .select('id')
    .where('id', '=', id)
    .where('seen_at', '>', sql<Date>`now() - make_interval(secs => ${deadAfterSeconds})`)
    .executeTakeFirst()
  return host !== undefined
}

export async function selectLiveHosts(db: Database | Transaction): Promise<string[]> {
  const hosts = await db
    .selectFrom('hosts')
    .select('id')
    .where('seen_at', '>', sql<Date>`now() - make_interval(secs => ${deadAfterSeconds})`)
    .execute()
  return hosts.map(({ id }) => id)
}

export async function selectSilentHosts(db: Database): Promise<string[]> {
  const hosts = await db
    .selectFrom('hosts')
    .select('id')
    .where('seen_at', '<', sql<Date>`now() - make_interval(secs => ${deadAfterSeconds})`)
    .execute()
  return hosts.map(({ id }) => id)
}
