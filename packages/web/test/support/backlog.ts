import { sharedServer } from './browser.ts'

export type Item = {
  id: number
  title: string
  position: number
  precedence: number
  pinned: boolean
  estimated_cost: string
  started_session_id: number | null
}

/** Queues an item of its own key. */
export async function append(title: string, changes: object = {}): Promise<Item> {
  const { call } = sharedServer()
  const { work_backlog_item } = await call<{ work_backlog_item: Item }>('POST', '/work_backlog_items', {
    key: `manual-${title.toLowerCase().replaceAll(' ', '-')}-${crypto.randomUUID()}`,
    title,
    repo: 'acme/yard',
    surface: 'uploads',
    kind: 'bug',
    scope_direction: 'convergent',
    estimated_cost: 'small',
    prompt: 'say done',
    ...changes,
  })
  return work_backlog_item
}

/** The queue of a repository, first to last. */
export async function listed(repo = 'yard'): Promise<Item[]> {
  const { work_backlog_items } = await sharedServer().call<{ work_backlog_items: Item[] }>(
    'GET',
    `/work_backlog_items?per_page=100&repo=acme/${repo}`,
  )
  return work_backlog_items
}
