import type { SessionHierarchy } from '@yardmaster/contract/sessions/fields'
import { beforeEach, expect, test } from 'vitest'
import { testApp } from '../../support/app/app.ts'
import { emptyTables } from '../../support/database/empty-tables.ts'
import { insertTree, insertUncleLinks } from '../../support/sessions/relations.ts'

const app = testApp({ environment: { ROLE: 'web' } })

/** A second, step-by-step implementation of the rules, to compare with the single query. */
function expected(
  ids: readonly number[],
  parents: ReadonlyMap<number, number>,
  links: readonly Link[],
  requested: number,
) {
  const seniors = (id: number): number[] =>
    [parents.get(id) ?? [], links.filter(({ junior }) => junior === id).map(({ senior }) => senior)].flat()
  let truncated = false

  let origin = requested
  const line = [requested]
  for (
    let parent = parents.get(requested);
    parent !== undefined && !line.includes(parent);
    parent = parents.get(parent)
  ) {
    if (line.length > 8) {
      truncated = true
      break
    }
    line.push(parent)
    origin = parent
  }

  const seen = [requested]
  let frontier = [requested]
  let forced: number[] = []
  for (let level = 1; ; level += 1) {
    const next = [...new Set(frontier.flatMap(seniors))].filter((id) => !seen.includes(id))
    if (next.length === 0) break
    if (level > 8 || seen.length + next.length > 150) {
      truncated = true
      forced = frontier
      break
    }
    seen.push(...next)
    frontier = next
  }
  const anchors = [...seen.filter((id) => seniors(id).length === 0), ...forced].sort((a, b) => a - b)
  const roots = [...new Set([origin, ...anchors])]

  const placed = new Map<number, { depth: number; under: number | null; isSpawned: boolean }>()
  for (const root of roots) placed.set(root, { depth: 0, under: null, isSpawned: true })
  let level = [...roots]
  for (let depth = 1; level.length > 0 && !(truncated && placed.size >= 150); depth += 1) {
    const above = level
    const next = ids.filter((id) => !placed.has(id) && seniors(id).some((senior) => above.includes(senior)))
    level = []
    for (const id of next) {
      if (depth > 8 || placed.size >= 150) {
        truncated = true
        break
      }
      const parent = parents.get(id)
      const isSpawned = parent !== undefined && above.includes(parent)
      const uncles = links.filter(({ junior, senior }) => junior === id && above.includes(senior))
      const under = isSpawned ? parent : Math.min(...uncles.map(({ senior }) => senior))
      placed.set(id, { depth, under, isSpawned })
      level.push(id)
    }
  }

  const order: number[] = []
  const list = (id: number): void => {
    order.push(id)
    for (const junior of ids) if (placed.get(junior)?.under === id) list(junior)
  }
  roots.forEach(list)
  if (!placed.has(requested)) {
    truncated = true
    const last = order.at(-1) ?? 0
    placed.set(requested, { depth: (placed.get(last)?.depth ?? 0) + 1, under: last, isSpawned: false })
    order.push(requested)
  }
  return {
    origin,
    roots,
    truncated,
    nodes: order.map((id) => ({
      id,
      ...placed.get(id),
      uncles: links
        .filter(({ junior, senior }) => junior === id && order.includes(senior))
        .map(({ senior }) => senior)
        .sort((a, b) => a - b),
    })),
  }
}

type Link = { senior: number; junior: number }

const shown = ({ origin_session_id, root_session_ids, truncated, nodes }: SessionHierarchy) => ({
  origin: origin_session_id,
  roots: root_session_ids,
  truncated,
  nodes: nodes.map((node) => ({
    id: node.id,
    depth: node.depth,
    under: node.render_parent_session_id,
    isSpawned: node.spawn_edge,
    uncles: node.uncle_session_ids,
  })),
})

/** A pseudo-random generator of numbers in [0, 1): the same seed gives the same numbers. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

beforeEach(async () => {
  await emptyTables(app.pool, 'sessions')
})

test.each([
  { seed: 1, count: 12, rootShare: 0.3, links: 8, reach: 12 },
  { seed: 2, count: 12, rootShare: 0.2, links: 14, reach: 3 },
  { seed: 3, count: 40, rootShare: 0.05, links: 10, reach: 2 },
  { seed: 4, count: 60, rootShare: 0.1, links: 60, reach: 4 },
  { seed: 5, count: 200, rootShare: 0.02, links: 30, reach: 200 },
  { seed: 6, count: 220, rootShare: 0.01, links: 20, reach: 40 },
  { seed: 7, count: 320, rootShare: 0.5, links: 400, reach: 320 },
])(
  'the tree of $count random sessions with $links random uncle links follows the rules, cycles included',
  async (family) => {
    const random = seeded(family.seed)
    const drawnParents = Array.from({ length: family.count }, (_, index) => {
      if (index === 0 || random() < family.rootShare) return null
      return Math.max(0, index - 1 - Math.floor(random() * family.reach))
    })
    const ids = await insertTree(app.pool, drawnParents)
    const idAt = (index: number): number => ids[index] ?? 0
    const links = new Map<string, Link>()
    for (let n = 0; n < family.links; n += 1) {
      const [senior, junior] = [idAt(Math.floor(random() * family.count)), idAt(Math.floor(random() * family.count))]
      if (senior !== junior) links.set(`${senior}>${junior}`, { senior, junior })
    }
    await insertUncleLinks(app.pool, [...links.values()])
    const parents = new Map(
      drawnParents.flatMap((parent, index) => (parent === null ? [] : [[idAt(index), idAt(parent)] as const])),
    )
    for (let n = 0; n < 12; n += 1) {
      const requested = idAt(Math.floor(random() * family.count))
      const { body } = await app.get(`/sessions/${requested}`)
      expect(shown(body.session_hierarchy)).toEqual(expected(ids, parents, [...links.values()], requested))
    }
  },
)
