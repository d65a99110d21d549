import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { Database, Transaction } from '../../platform/db/database.ts'
import type { App } from '../app.ts'
import { type ArtifactList, lookUp, type Selection } from '../catalog/catalog.ts'
import { selectSession } from '../sessions/session.ts'
import { artifactLists, type TriggerRow, type UnresolvedReferences } from '../triggers/trigger.ts'

/** The lists that the trigger sets, without names that left the catalog. An empty list says nothing. */
export function resolveLists(app: App, trigger: Pick<TriggerRow, ArtifactList>): Partial<Selection> {
  const tree = app.catalog.current()
  return Object.fromEntries(
    artifactLists
      .filter((list) => trigger[list].length > 0)
      .map((list) => [list, lookUp(tree, list, trigger[list]).known]),
  )
}

/** Which names the catalog lacks now, each with the time it was first missed. Found names are removed. */
export function updateUnresolved(
  app: App,
  trigger: Pick<TriggerRow, ArtifactList | 'unresolved_references'>,
  now: Date,
): UnresolvedReferences {
  const tree = app.catalog.current()
  const entries = artifactLists.flatMap((list) => {
    const { unknown } = lookUp(tree, list, trigger[list])
    if (unknown.length === 0) return []
    const known = trigger.unresolved_references[list] ?? {}
    return [[list, Object.fromEntries(unknown.map((name) => [name, known[name] ?? formatTimestamp(now)]))] as const]
  })
  return Object.fromEntries(entries)
}

/**
 * The root that a missing one was renamed to: the only root with the repository and folder of the trigger's last session.
 * Undefined if there is none, or more than one.
 */
export async function findRenamedRoot(
  app: App,
  db: Database | Transaction,
  trigger: Pick<TriggerRow, 'agent_root_name' | 'last_session_id'>,
): Promise<string | undefined> {
  const { last_session_id: id } = trigger
  const session = id === null ? undefined : await selectSession(db, { id })
  if (!session) return undefined
  const matching = app.catalog
    .current()
    .roots.list.filter(({ url, subdirectory }) => url === session.git_root && subdirectory === session.subdirectory)
  const [root] = matching
  return matching.length === 1 ? root?.name : undefined
}
