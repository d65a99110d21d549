import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

declare module '../db/tables.ts' {
  interface Tables {
    leases: { name: string; owner: string | null; expires_at: Date | null }
  }
}

/** Creates the rows up front, so that a host that finds a lease taken updates no row and takes no row lock. */
export async function insertLeases(db: Database, names: readonly string[]): Promise<void> {
  await sql`
    insert into leases (name)
    select unnest(${names}::text[])
    on conflict (name) do nothing
  `.execute(db)
}

type Claim = { owner: string; ttlMs: number }

/** True when the lease was free, expired or already the owner's, and is now the owner's. */
export async function acquireLease(db: Database, name: string, { owner, ttlMs }: Claim): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update leases
    set owner = ${owner}, expires_at = now() + ${ttlMs} * interval '1 millisecond'
    where name = ${name}
      and (owner is null or owner = ${owner} or expires_at < now())
  `.execute(db)
  return numAffectedRows > 0n
}

/** The names of the leases that are still the owner's, and are renewed. */
export async function renewLeases(db: Database, names: readonly string[], { owner, ttlMs }: Claim): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    update leases
    set expires_at = now() + ${ttlMs} * interval '1 millisecond'
    where name = any(${names}::text[])
      and owner = ${owner}
    returning name
  `.execute(db)
  return rows.map(({ name }) => name)
}

export async function releaseLeases(db: Database, names: readonly string[], owner: string): Promise<void> {
  await db
    .updateTable('leases')
    .set({ owner: null, expires_at: null })
    .where('name', 'in', names)
    .where('owner', '=', owner)
    .execute()
}
