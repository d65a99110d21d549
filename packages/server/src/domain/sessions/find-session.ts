import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Session } from '@yardmaster/contract/sessions/fields'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { readSettings } from '../settings/settings.ts'
import { presentSession } from './present.ts'
import { classesByGenesis } from './scheduling-class.ts'
import { selectSession, selectSessionByKey, selectSessionForUpdate } from './session-store.ts'
import type { SessionRow, SessionWithCategory } from './session-table.ts'

/** The session that a request path names. Refuses an unknown one. */
export async function findSession(db: Database, ref: SessionRef): Promise<SessionWithCategory> {
  return (await selectSession(db, ref)) ?? refuseMissing()
}

/** As `findSession`, and holds the session's row lock until the transaction ends. */
export async function lockSession(tx: Transaction, ref: SessionRef): Promise<SessionRow> {
  return (await selectSessionForUpdate(tx, ref)) ?? refuseMissing()
}

/** As `lockSession`, for jobs and workers: the session may have been deleted in the meantime. */
export async function lockSessionIfThere(tx: Transaction, ref: SessionRef): Promise<SessionRow | undefined> {
  return selectSessionForUpdate(tx, ref)
}

export async function isSessionGone(db: Database, id: number): Promise<boolean> {
  return (await selectSession(db, { id })) === undefined
}

/** The session as API callers see it. */
export async function showRow(app: App, db: Database | Transaction, ref: SessionRef): Promise<Session> {
  const row = (await selectSession(db, ref)) ?? refuseMissing()
  return present(app, db, row)
}

/** A blank key counts as absent. */
export async function findByIdempotencyKey(
  app: App,
  key: unknown,
  db: Database | Transaction = app.db,
): Promise<Session | undefined> {
  if (typeof key !== 'string' || key === '') return undefined
  const row = await selectSessionByKey(db, key)
  return row && present(app, db, row)
}

async function present(app: App, db: Database | Transaction, row: SessionWithCategory): Promise<Session> {
  return presentSession(row, {
    now: app.clock.now(),
    classByGenesis: classesByGenesis(await readSettings(db)),
    catalog: app.catalog.current(),
  })
}
