import { type Generated, type Selectable, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { deleteOld } from '../../platform/db/delete-old.ts'
import type { Slice } from '../../platform/jobs/pruning.ts'

type AttachmentTable = {
  id: string
  session_id: number | null
  name: string
  size_bytes: number
  content: Buffer
  created_at: Generated<Date>
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    attachments: AttachmentTable
  }
}

export type AttachmentRow = Omit<Selectable<AttachmentTable>, 'content'>

const described = ['id', 'session_id', 'name', 'size_bytes', 'created_at'] as const

export function insertAttachment(
  db: Database,
  values: Pick<AttachmentTable, 'id' | 'name' | 'content' | 'size_bytes'>,
): Promise<AttachmentRow> {
  return db
    .insertInto('attachments')
    .values({ ...values, session_id: null })
    .returning(described)
    .executeTakeFirstOrThrow()
}

export function describeAttachment(db: Database, id: string): Promise<AttachmentRow | undefined> {
  return db.selectFrom('attachments').select(described).where('id', '=', id).executeTakeFirst()
}

export function selectAttachment(db: Database, id: string): Promise<(AttachmentRow & { content: Buffer }) | undefined> {
  return db.selectFrom('attachments').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Those that a session keeps, and those with these ids, without their content. */
export function selectAttachmentsFor(
  db: Database,
  sessionId: number,
  ids: readonly string[],
): Promise<AttachmentRow[]> {
  return db
    .selectFrom('attachments')
    .select(described)
    .where((where) => where.or([where('session_id', '=', sessionId), where('id', '=', sql<string>`any(${ids})`)]))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Each file counts as `leastBytes` or more. */
export async function sumAttachments(db: Database, leastBytes: number): Promise<number> {
  const { bytes } = await db
    .selectFrom('attachments')
    .select(sql<number>`coalesce(sum(greatest(size_bytes, ${leastBytes})), 0)::bigint`.as('bytes'))
    .executeTakeFirstOrThrow()
  return Number(bytes)
}

/** A file that a session keeps already stays with it. */
export async function claimForSession(tx: Transaction, sessionId: number, ids: readonly string[]): Promise<void> {
  await tx
    .updateTable('attachments')
    .set({ session_id: sessionId })
    .where('id', '=', sql<string>`any(${ids})`)
    .where('session_id', 'is', null)
    .execute()
}

export async function deleteAttachment(db: Database, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('attachments').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Deletes a few of the files whose session has been in the trash for long enough, and returns how many. */
export async function deleteSomeTrashed(db: Database, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from attachments
    where id in (
      select attachments.id
      from sessions
      join attachments on attachments.session_id = sessions.id
      where sessions.status = 'archived' and sessions.trash_after < now()
      limit ${limit}
      -- A session that is taken out of the trash at the moment keeps its files.
      for update of sessions skip locked
    )
  `.execute(db)
  return Number(numAffectedRows)
}

export function deleteUnclaimed(db: Database, slice: Slice): Promise<number> {
  return deleteOld(db, { table: 'attachments', since: 'created_at', where: sql`old.session_id is null` }, slice)
}
