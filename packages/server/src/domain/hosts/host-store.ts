import { type RawBuilder, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    hosts: { id: string; seen_at: Date }
  }
}

export async function noteAlive(db: Database, id: string): Promise<void> {
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

export async function findLiveHosts(db: Database | Transaction): Promise<string[]> {
  const hosts = await db
    .selectFrom('hosts')
    .select('id')
    .where('seen_at', '>', sql<Date>`now() - make_interval(secs => ${deadAfterSeconds})`)
    .execute()
  return hosts.map(({ id }) => id)
}

/** Far longer than a host is down for maintenance. One that comes back later is recorded again. */
export const keptDays = 7

/**
 * Forgets hosts that do not come back, and returns them. A host that left processes behind is kept while they are recorded:
 * it has to end them.
 */
export async function deleteOldHosts(db: Database): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    delete from hosts
    where seen_at < now() - make_interval(days => ${keptDays})
      and not exists (
        select from abandoned_runs
        where host_id = hosts.id
      )
    returning id
  `.execute(db)
  return rows.map(({ id }) => id)
}

export async function findSilentHosts(db: Database): Promise<string[]> {
  const hosts = await db
    .selectFrom('hosts')
    .select('id')
    .where('seen_at', '<', sql<Date>`now() - make_interval(secs => ${deadAfterSeconds})`)
    .execute()
  return hosts.map(({ id }) => id)
}
