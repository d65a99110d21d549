import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { SessionChanges, StartAttempt } from '@yardmaster/contract/lifecycle/session-changes'
import { limits } from '@yardmaster/contract/limits'
import type { Session } from '@yardmaster/contract/sessions/fields'
import type { Transaction } from '../../../platform/db/database.ts'
import { transact } from '../../../platform/db/transact.ts'
import { violatedConstraint } from '../../../platform/db/violated-constraint.ts'
import { refuse } from '../../../platform/refusal.ts'
import type { App } from '../../app.ts'
import type { SessionRow } from '../../sessions/session.ts'
import {
  type ClassByGenesis,
  classesByGenesis,
  freeSlug,
  lockSession,
  recordEdit,
  type SessionEdit,
  showRow,
} from '../../sessions/session.ts'
import { readSettings } from '../../settings/settings.ts'
import { refuseBadPlacement, topRank } from '../create/placement.ts'
import { takeCharge } from '../resume.ts'
import { startPromoted } from './start-promoted.ts'

export type Changed = { session: Session; start?: StartAttempt }

/** A key that is not in `changes` changes nothing; null is not the same as absent. */
export async function changeSession(
  app: App,
  ref: SessionRef,
  changes: SessionChanges,
  { isByPerson }: { isByPerson: boolean },
): Promise<Changed> {
  refuseBadPlacement(changes)
  try {
    return await transact(app.db, async (tx) => {
      const session = await lockSession(tx, ref)
      const classByGenesis = classesByGenesis(await readSettings(tx))
      const edit = {
        ...(await titleAndSlug(tx, session, changes)),
        ...plainColumns(changes),
        ...(await rank(tx, session, changes, classByGenesis)),
      }
      await recordEdit(tx, session.id, edit)
      const changed = {
        ...session,
        ...('scheduling_class' in edit && { scheduling_class: edit.scheduling_class }),
      }
      const isPromoted = classOf(session, classByGenesis) === 'spot' && classOf(changed, classByGenesis) === 'priority'
      const start = isPromoted && session.status === 'waiting' ? await startPromoted(app, tx, session) : undefined
      if (start && isByPerson) await takeCharge(tx, session.id)
      return { session: await showRow(app, tx, { id: session.id }), ...(start && { start }) }
    })
  } catch (error) {
    if (violatedConstraint(error) !== 'sessions_slug_key') throw error
    return refuse('validation_failed', 'Slug has already been taken')
  }
}

function classOf({ scheduling_class, genesis }: Pick<SessionRow, 'scheduling_class' | 'genesis'>, by: ClassByGenesis) {
  return scheduling_class ?? by[genesis]
}

/** A title also generates a slug if the session has none and the request does not set one. */
async function titleAndSlug(tx: Transaction, session: SessionRow, changes: SessionChanges): Promise<SessionEdit> {
  const { title, slug } = changes
  const given = title?.trim() ? title : null
  const handle =
    slug ??
    (given && session.slug === null && !('slug' in changes) ? await freeSlug(tx, given, session.created_at) : null)
  return {
    ...('title' in changes && { title: given }),
    ...(('slug' in changes || handle) && { slug: handle }),
  }
}

function plainColumns(changes: SessionChanges): SessionEdit {
  const { goal, is_autonomous, auto_compact_window, scheduling_class, custom_metadata } = changes
  return {
    ...('goal' in changes && { goal: goal?.trim() ? goal : null }),
    ...(is_autonomous !== undefined && { is_autonomous }),
    ...('auto_compact_window' in changes && {
      auto_compact_window: auto_compact_window ?? limits.autoCompactWindow.max,
    }),
    ...('scheduling_class' in changes && { scheduling_class }),
    ...(custom_metadata && { custom_metadata }),
  }
}

/** `place` never lowers the current rank. */
async function rank(
  tx: Transaction,
  session: SessionRow,
  changes: SessionChanges,
  classByGenesis: ClassByGenesis,
): Promise<SessionEdit> {
  const { place, precedence } = changes
  if (place) return { precedence: Math.max(session.precedence, await topRank(tx, classByGenesis, session.id)) }
  return 'precedence' in changes ? { precedence: Math.min(precedence ?? 0, limits.precedence.max) } : {}
}
