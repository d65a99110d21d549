import type { HierarchyNode, SessionHierarchy } from '@yardmaster/contract/sessions/fields'
import { beforeEach, describe, expect, test } from 'vitest'
import { testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { emptyTables } from '../../support/database/empty-tables.ts'
import { insertTree, insertUncleLink, insertUncleLinks } from '../../support/sessions/relations.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })

const hierarchyOf = async (id: number): Promise<SessionHierarchy> => {
  const { status, body } = await app.get(`/sessions/${id}`)
  expect({ status, body }).toMatchObject({ status: 200 })
  return body.session_hierarchy
}

const link = (senior: number, junior: number): Promise<void> => insertUncleLink(app.pool, { senior, junior })

/** One line a node: its id, indented by its depth, marked if it hangs from an uncle. */
const drawn = ({ nodes }: SessionHierarchy): string[] =>
  nodes.map(({ id, depth, spawn_edge }) => `${'.'.repeat(depth)}${id}${spawn_edge ? '' : ' (uncle)'}`)

const find = ({ nodes }: SessionHierarchy, id: number): HierarchyNode | undefined =>
  nodes.find((node) => node.id === id)

beforeEach(async () => {
  await emptyTables(app.pool, 'sessions')
})

describe('session_hierarchy', () => {
  test('session_hierarchy is the same tree for every session in it, except for the node marked current', async () => {
    await insertTree(app.pool, [null, 0, 1, 0, 1])
    for (const id of [1, 2, 3, 4, 5]) {
      const tree = await hierarchyOf(id)
      expect(tree).toMatchObject({ origin_session_id: 1, root_session_ids: [1], truncated: false })
      expect(tree.truncation_reason).toBeNull()
      expect(drawn(tree)).toEqual(['1', '.2', '..3', '..5', '.4'])
      expect(tree.nodes.filter(({ current }) => current).map(({ id }) => id)).toEqual([id])
    }
  })

  test('session_hierarchy shows title, root, status, genesis and class of each session', async () => {
    const parent = await insertSession(app.pool, {
      title: '  ',
      genesis: 'web_ui',
      metadata: { agent_root_key: 'router' },
      status: 'archived',
      archived_at: '2026-08-22T18:09:42Z',
    })
    const child = await insertSession(app.pool, {
      title: 'Fix parser',
      genesis: 'web_ui',
      scheduling_class: 'spot',
      status: 'running',
      parent_session_id: parent,
    })
    expect((await hierarchyOf(child)).nodes).toEqual([
      {
        id: parent,
        title: `Session #${parent}`,
        agent_root: 'router',
        status: 'archived',
        depth: 0,
        parent_session_id: null,
        render_parent_session_id: null,
        spawn_edge: true,
        uncle_session_ids: [],
        current: false,
        genesis: 'web_ui',
        priority_class: 'priority',
      },
      {
        id: child,
        title: 'Fix parser',
        agent_root: null,
        status: 'running',
        depth: 1,
        parent_session_id: parent,
        render_parent_session_id: parent,
        spawn_edge: true,
        uncle_session_ids: [],
        current: true,
        genesis: 'web_ui',
        priority_class: 'spot',
      },
    ])
  })

  test('session_hierarchy finds the root of a session without agent_root_key by its repository and directory', async () => {
    const root = app.host.app.catalog.current().roots.list.find(({ url }) => url !== null)
    if (!root) throw new Error('the sample catalog has a root with a repository')
    const known = await insertSession(app.pool, { git_root: root.url, subdirectory: root.subdirectory })
    const elsewhere = await insertSession(app.pool, { git_root: root.url, subdirectory: 'elsewhere' })
    expect((await hierarchyOf(known)).nodes).toMatchObject([{ agent_root: root.name }])
    expect((await hierarchyOf(elsewhere)).nodes).toMatchObject([{ agent_root: null }])
  })

  test('session_hierarchy applies genesis_class_overrides to priority_class', async () => {
    await insertTree(app.pool, [null, 0])
    await app.patch('/settings', { genesis_class_overrides: { api: 'priority' } })
    expect((await hierarchyOf(1)).nodes.map((node) => node.priority_class)).toEqual(['priority', 'priority'])
    await app.patch('/settings', { genesis_class_overrides: {} })
    expect((await hierarchyOf(1)).nodes.map((node) => node.priority_class)).toEqual(['spot', 'spot'])
  })

  test('session_hierarchy changes nothing when it is read', async () => {
    await insertTree(app.pool, [null, 0, 1])
    await link(1, 3)
    await changesNothing(app.pool, () => app.get('/sessions/2'))
  })

  test('session_hierarchy shows the children of a deleted parent as roots', async () => {
    await insertTree(app.pool, [null, 0, 1])
    await app.delete('/sessions/1')
    expect(drawn(await hierarchyOf(3))).toEqual(['2', '.3'])
    expect(find(await hierarchyOf(3), 2)?.parent_session_id).toBeNull()
  })
})

describe('uncles in a session_hierarchy', () => {
  test('an uncle without seniors is an additional root after the origin', async () => {
    await insertTree(app.pool, [null, null, 1])
    await link(1, 3)
    const tree = await hierarchyOf(3)
    expect(tree).toMatchObject({ origin_session_id: 2, root_session_ids: [2, 1], truncated: false })
    expect(drawn(tree)).toEqual(['2', '.3', '1'])
    expect(find(tree, 3)).toMatchObject({ parent_session_id: 2, render_parent_session_id: 2, uncle_session_ids: [1] })
  })

  test('in the tree of an uncle, its junior hangs from the uncle if the parent of the junior is not in the tree', async () => {
    await insertTree(app.pool, [null, null, 0])
    await link(2, 3)
    const tree = await hierarchyOf(2)
    expect(tree).toMatchObject({ origin_session_id: 2, root_session_ids: [2] })
    expect(drawn(tree)).toEqual(['2', '.3 (uncle)'])
    expect(find(tree, 3)).toMatchObject({ parent_session_id: 1, render_parent_session_id: 2, uncle_session_ids: [2] })
  })

  test('a session with its parent and an uncle on the same level hangs from its parent', async () => {
    await insertTree(app.pool, [null, 0, 0, 2])
    await link(2, 4)
    expect(drawn(await hierarchyOf(4))).toEqual(['1', '.2', '.3', '..4'])
    expect(find(await hierarchyOf(4), 4)?.uncle_session_ids).toEqual([2])
  })

  test('a session with an uncle on a higher level than its parent is listed once, below the uncle', async () => {
    await insertTree(app.pool, [null, 0, 1, 2])
    await link(1, 4)
    const tree = await hierarchyOf(4)
    expect(drawn(tree)).toEqual(['1', '.2', '..3', '.4 (uncle)'])
    expect(find(tree, 4)).toMatchObject({ parent_session_id: 3, render_parent_session_id: 1, spawn_edge: false })
  })

  test('of several uncles one level above, the session hangs from the one with the lowest id', async () => {
    await insertTree(app.pool, [null, 0, 0, 0, 3, null])
    await link(3, 6)
    await link(2, 6)
    const tree = await hierarchyOf(1)
    expect(drawn(tree)).toEqual(['1', '.2', '..6 (uncle)', '.3', '.4', '..5'])
    expect(find(tree, 6)?.uncle_session_ids).toEqual([2, 3])
  })

  test('uncle_session_ids names only uncles that are in the tree', async () => {
    await insertTree(app.pool, [null, 0, null, null])
    await link(3, 4)
    await link(1, 4)
    expect(find(await hierarchyOf(1), 4)?.uncle_session_ids).toEqual([1])
    expect(find(await hierarchyOf(4), 4)?.uncle_session_ids).toEqual([1, 3])
  })

  test('cycles end, and every session is listed once', async () => {
    await insertTree(app.pool, [null, 0, 1, null, 3])
    await link(3, 1)
    await link(4, 1)
    await link(1, 4)
    for (const id of [1, 2, 3, 4, 5]) {
      const tree = await hierarchyOf(id)
      expect(tree.nodes.map((node) => node.id).sort()).toEqual([1, 2, 3, 4, 5])
      expect(tree.truncated).toBe(false)
      expect(tree.origin_session_id).toBe(id < 4 ? 1 : 4)
      expect(tree.root_session_ids).toEqual([id < 4 ? 1 : 4])
    }
  })

  test('a session that is its own parent is a root', async () => {
    await insertTree(app.pool, [null])
    await app.pool.query('update sessions set parent_session_id = 1 where id = 1')
    const tree = await hierarchyOf(1)
    expect(tree).toMatchObject({ origin_session_id: 1, root_session_ids: [1], truncated: false })
    expect(tree.nodes).toMatchObject([{ id: 1, parent_session_id: 1, render_parent_session_id: null }])
  })
})

describe('the bounds of a session_hierarchy', () => {
  const reason = 'At most 150 sessions and 8 levels from the highest ancestor reached are shown; the tree is larger.'
  const chain = (length: number): (number | null)[] =>
    Array.from({ length }, (_, index) => (index === 0 ? null : index - 1))

  test('a tree of eight levels below the root is not truncated', async () => {
    await insertTree(app.pool, chain(9))
    for (const id of [1, 5, 9]) {
      const tree = await hierarchyOf(id)
      expect(tree).toMatchObject({ origin_session_id: 1, truncated: false, truncation_reason: null })
      expect(tree.nodes.map((node) => node.depth)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
    }
  })

  test('the tree of the root leaves out the ninth level', async () => {
    await insertTree(app.pool, chain(10))
    const tree = await hierarchyOf(1)
    expect(tree).toMatchObject({ truncated: true, truncation_reason: reason })
    expect(tree.nodes.map((node) => node.id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  test('the tree of a session on the ninth level starts eight levels above it', async () => {
    await insertTree(app.pool, chain(10))
    const tree = await hierarchyOf(10)
    expect(tree).toMatchObject({ origin_session_id: 2, root_session_ids: [2], truncated: true })
    expect(find(tree, 2)).toMatchObject({ depth: 0, parent_session_id: 1, render_parent_session_id: null })
    expect(find(tree, 10)).toMatchObject({ depth: 8, current: true })
  })

  test('a tree of 150 sessions is not truncated; of 151 the highest id on the lowest level is left out', async () => {
    await insertTree(app.pool, [null, ...Array.from({ length: 149 }, () => 0)])
    expect(await hierarchyOf(7)).toMatchObject({ truncated: false })
    await insertSession(app.pool, { parent_session_id: 1 })
    const tree = await hierarchyOf(7)
    expect(tree).toMatchObject({ truncated: true, truncation_reason: reason })
    expect(tree.nodes).toHaveLength(150)
    expect(find(tree, 151)).toBeUndefined()
  })

  test('the requested session is shown even beyond the limit of 150', async () => {
    await insertTree(app.pool, [null, ...Array.from({ length: 160 }, () => 0)])
    await link(7, 161)
    const tree = await hierarchyOf(161)
    expect(tree.nodes).toHaveLength(151)
    expect(tree).toMatchObject({ truncated: true, truncation_reason: reason })
    const last = tree.nodes.at(-1)
    expect(last).toMatchObject({
      id: 161,
      depth: (tree.nodes.at(-2)?.depth ?? 0) + 1,
      parent_session_id: 1,
      render_parent_session_id: tree.nodes.at(-2)?.id,
      spawn_edge: false,
      uncle_session_ids: [7],
      current: true,
    })
    expect(tree.nodes.filter(({ current }) => current)).toHaveLength(1)
  })

  test('with more than 150 seniors the walk upward stops and the session is the only root', async () => {
    await insertTree(
      app.pool,
      Array.from({ length: 161 }, () => null),
    )
    await insertUncleLinks(
      app.pool,
      Array.from({ length: 160 }, (_, index) => ({ senior: index + 2, junior: 1 })),
    )
    const tree = await hierarchyOf(1)
    expect(tree).toMatchObject({ origin_session_id: 1, root_session_ids: [1], truncated: true })
    expect(tree.nodes.map((node) => node.id)).toEqual([1])
  })

  test('a session with 2,000 children shows the first 150 sessions and the requested one', async () => {
    const parent = await insertSession(app.pool)
    await app.pool.query(
      `insert into sessions (agent_runtime, genesis, git_root, branch, config, parent_session_id)
       select 'demo', 'api', '/srv/widgets', 'main', '{"model": "demo"}', $1 from generate_series(1, 2000)`,
      [parent],
    )
    const tree = await hierarchyOf(parent + 1999)
    expect(tree).toMatchObject({ origin_session_id: parent, truncated: true })
    expect(tree.nodes.map((node) => node.id)).toEqual([
      ...Array.from({ length: 150 }, (_, index) => parent + index),
      parent + 1999,
    ])
  })
})
