import { limits } from '@yardmaster/contract/limits'
import type { HierarchyNode, SessionHierarchy } from '@yardmaster/contract/session'
import type { Database } from '../../platform/db/database.ts'
import { refuseMissing } from '../../platform/refusal.ts'
import type { CatalogTree } from '../catalog/catalog.ts'
import type { ClassByGenesis } from '../sessions/session.ts'
import { type KinRow, selectKin } from './hierarchy-store.ts'

const { levels, sessions: most } = limits.hierarchy
const truncationReason = `At most ${most} sessions and ${levels} levels from the highest ancestor reached are shown; the tree is larger.`

/** The sessions around one: whoever it descends from, by spawning or as a junior, and all that descends from those. */
export async function findHierarchy(db: Database, sessionId: number, known: Known): Promise<SessionHierarchy> {
  const { originId, isCut, rows } = (await selectKin(db, sessionId)) ?? refuseMissing()
  const roots = rows.filter(({ depth, id }) => depth === 0 && id !== originId).map(({ id }) => id)
  const rootIds = [originId, ...roots]
  const places = depthFirst(rows, rootIds)
  const cutAway = rows.find(({ depth }) => depth === null)
  // Who was asked for is shown all the same, below whatever stands last.
  if (cutAway) places.push(below(places.at(-1), cutAway))
  const truncated = isCut || cutAway !== undefined
  return {
    origin_session_id: originId,
    root_session_ids: rootIds,
    truncated,
    truncation_reason: truncated ? truncationReason : null,
    nodes: places.map((place) => presentNode(place, sessionId, known)),
  }
}

type Place = { row: KinRow; depth: number; hangsFrom: number | null; isSpawned: boolean }

/** Each directly follows the one it hangs from, with all that hangs from it before the next sibling. */
function depthFirst(kin: readonly KinRow[], rootIds: readonly number[]): Place[] {
  const depths = new Map(kin.map(({ id, depth }) => [id, depth]))
  const places = new Map(kin.flatMap((row) => placed(row, depths)).map((place) => [place.row.id, place]))
  const juniors = new Map<number, Place[]>()
  for (const place of places.values()) {
    if (place.hangsFrom === null) continue
    const siblings = juniors.get(place.hangsFrom)
    if (siblings) siblings.push(place)
    else juniors.set(place.hangsFrom, [place])
  }
  const withJuniors = (place: Place): Place[] => [place, ...(juniors.get(place.row.id) ?? []).flatMap(withJuniors)]
  return rootIds.flatMap((id) => places.get(id) ?? []).flatMap(withJuniors)
}

/** It hangs from its parent if that stands one level above, else from the lowest of its uncles there. */
function placed(row: KinRow, depths: ReadonlyMap<number, number | null>): Place[] {
  const { id, depth, parent_session_id: parent, uncle_ids } = row
  if (depth === null) return []
  if (depth === 0) return [{ row, depth, hangsFrom: null, isSpawned: true }]
  const isAbove = (senior: number): boolean => depths.get(senior) === depth - 1
  if (parent !== null && isAbove(parent)) return [{ row, depth, hangsFrom: parent, isSpawned: true }]
  const uncle = uncle_ids.find(isAbove)
  if (uncle === undefined) throw new Error(`session ${id} was reached from nowhere`)
  return [{ row, depth, hangsFrom: uncle, isSpawned: false }]
}

function below(last: Place | undefined, row: KinRow): Place {
  if (!last) throw new Error('a hierarchy without a root')
  return { row, depth: last.depth + 1, hangsFrom: last.row.id, isSpawned: false }
}

type Known = { classByGenesis: ClassByGenesis; catalog: CatalogTree }

function presentNode(
  { row, depth, hangsFrom, isSpawned }: Place,
  sessionId: number,
  { classByGenesis, catalog }: Known,
): HierarchyNode {
  return {
    id: row.id,
    title: row.title?.trim() ? row.title : `Session #${row.id}`,
    agent_root: row.agent_root_key ?? rootOf(catalog, row),
    status: row.status,
    depth,
    parent_session_id: row.parent_session_id,
    render_parent_session_id: hangsFrom,
    spawn_edge: isSpawned,
    uncle_session_ids: row.uncle_ids,
    current: row.id === sessionId,
    genesis: row.genesis,
    priority_class: row.scheduling_class ?? classByGenesis[row.genesis],
  }
}

/** Without a word in its bookkeeping a session is taken for one of the root that has its repository and directory. */
function rootOf(catalog: CatalogTree, { git_root, subdirectory }: KinRow): string | null {
  const root = catalog.roots.list.find((root) => root.url === git_root && root.subdirectory === subdirectory)
  return root?.name ?? null
}
