import { limits } from '@yardmaster/contract/limits'
import type { HierarchyNode, SessionHierarchy } from '@yardmaster/contract/sessions/fields'
import type { Database } from '../../platform/db/database.ts'
import { refuseMissing } from '../../platform/refusal.ts'
import type { CatalogTree } from '../catalog/catalog.ts'
import type { ClassByGenesis } from '../sessions/session.ts'
import { type KinRow, selectKin } from './hierarchy-store.ts'

const { levels, sessions: most } = limits.hierarchy
const truncationReason = `At most ${most} sessions and ${levels} levels from the highest ancestor reached are shown; the tree is larger.`

/** A session's tree: its ancestors, over spawns and uncle links, and all descendants of those ancestors. */
export async function findHierarchy(db: Database, sessionId: number, known: Known): Promise<SessionHierarchy> {
  const { originId, isCut, rows } = (await selectKin(db, sessionId)) ?? refuseMissing()
  const roots = rows.filter(({ depth, id }) => depth === 0 && id !== originId).map(({ id }) => id)
  const rootIds = [originId, ...roots]
  const places = depthFirst(rows, rootIds)
  const cutOff = rows.find(({ depth }) => depth === null)
  // The requested session is always shown. If the bounds cut it off, it goes below the last node.
  if (cutOff) places.push(below(places.at(-1), cutOff))
  const truncated = isCut || cutOff !== undefined
  return {
    origin_session_id: originId,
    root_session_ids: rootIds,
    truncated,
    truncation_reason: truncated ? truncationReason : null,
    nodes: places.map((place) => presentNode(place, sessionId, known)),
  }
}

type Place = { row: KinRow; depth: number; renderParentId: number | null; isSpawned: boolean }

/** Preorder: each node comes before its subtree, and its subtree before the next sibling. */
function depthFirst(kin: readonly KinRow[], rootIds: readonly number[]): Place[] {
  const depths = new Map(kin.map(({ id, depth }) => [id, depth]))
  const places = new Map(kin.flatMap((row) => placeOf(row, depths)).map((place) => [place.row.id, place]))
  const juniors = new Map<number, Place[]>()
  for (const place of places.values()) {
    if (place.renderParentId === null) continue
    const siblings = juniors.get(place.renderParentId)
    if (siblings) siblings.push(place)
    else juniors.set(place.renderParentId, [place])
  }
  const withJuniors = (place: Place): Place[] => [place, ...(juniors.get(place.row.id) ?? []).flatMap(withJuniors)]
  return rootIds.flatMap((id) => places.get(id) ?? []).flatMap(withJuniors)
}

/** The render parent is the spawning parent if that is one level above, else the uncle there with the lowest id. */
function placeOf(row: KinRow, depths: ReadonlyMap<number, number | null>): Place[] {
  const { id, depth, parent_session_id: parent, uncle_ids } = row
  if (depth === null) return []
  if (depth === 0) return [{ row, depth, renderParentId: null, isSpawned: true }]
  const isAbove = (senior: number): boolean => depths.get(senior) === depth - 1
  if (parent !== null && isAbove(parent)) return [{ row, depth, renderParentId: parent, isSpawned: true }]
  const uncle = uncle_ids.find(isAbove)
  if (uncle === undefined) throw new Error(`session ${id} has no parent or uncle one level above it`)
  return [{ row, depth, renderParentId: uncle, isSpawned: false }]
}

function below(last: Place | undefined, row: KinRow): Place {
  if (!last) throw new Error('a hierarchy has no root')
  return { row, depth: last.depth + 1, renderParentId: last.row.id, isSpawned: false }
}

type Known = { classByGenesis: ClassByGenesis; catalog: CatalogTree }

function presentNode(
  { row, depth, renderParentId, isSpawned }: Place,
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
    render_parent_session_id: renderParentId,
    spawn_edge: isSpawned,
    uncle_session_ids: row.uncle_ids,
    current: row.id === sessionId,
    genesis: row.genesis,
    priority_class: row.scheduling_class ?? classByGenesis[row.genesis],
  }
}

/** The fallback without an `agent_root_key` in the metadata: the root with the same repository and directory. */
function rootOf(catalog: CatalogTree, { git_root, subdirectory }: KinRow): string | null {
  const root = catalog.roots.list.find((root) => root.url === git_root && root.subdirectory === subdirectory)
  return root?.name ?? null
}
