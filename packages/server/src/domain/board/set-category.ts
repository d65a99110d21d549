import type { CategoryRef } from '@yardmaster/contract/board/fields'
import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Session } from '@yardmaster/contract/sessions/fields'
import { transact } from '../../platform/db/transact.ts'
import type { App } from '../app.ts'
import { lockSession, recordCategory, showRow } from '../sessions/session.ts'
import { findSection } from './section.ts'

export async function setCategory(
  app: App,
  ref: SessionRef,
  category: CategoryRef,
): Promise<{ session: Session; message: string }> {
  return transact(app.db, async (tx) => {
    const { id } = await lockSession(tx, ref)
    const category_id = await findSection(tx, category)
    await recordCategory(tx, id, category_id)
    const message = category_id === null ? 'Session moved to Uncategorized' : 'Session assigned to category'
    return { session: await showRow(app, tx, { id }), message }
  })
}
