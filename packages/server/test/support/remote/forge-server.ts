import { createHmac, randomUUID } from 'node:crypto'
import { type Received, type RemoteServer, type Reply, remoteServer } from './remote-server.ts'

type Item = {
  kind: 'issue' | 'pull_request'
  repo: string
  number: number
  title: string
  body: string | null
  author: string
  labels: string[]
  state: 'open' | 'closed'
  merged: boolean
  mergeable: boolean | null
  createdAt: Date
  updatedAt: Date
  events: { id: number; event: string; label?: { name: string }; created_at: string }[]
  /** Whether the search index knows it as it is. */
  indexed: { labels: string[]; state: string } | undefined
}
type Opening = {
  kind?: Item['kind']
  title?: string
  body?: string
  author?: string
  labels?: string[]
  at?: Date
  /** The search index does not know it until `reindex`. */
  isIndexedLate?: boolean
}

/** Stands in for the forge: its wire format, paging, rate limits, a search index that may be late, partial results. */
export type ForgeServer = RemoteServer & {
  environment: Record<string, string>
  open(repo: string, opening?: Opening): Item
  label(item: Item, name: string, at?: Date): void
  unlabel(item: Item, name: string, at?: Date): void
  closeItem(item: Item): void
  reopen(item: Item): void
  merge(item: Item): void
  setMergeable(item: Item, mergeable: boolean | null): void
  /** Brings the search index up to date. */
  reindex(): void
  setIndexing(isImmediate: boolean): void
  urlOf(item: Item): string
  /** The body of the event that the forge sends about an item. */
  eventOf(item: Item, action: string, label?: string): object
  /** The next searches return only a part. */
  searchIncompletely(times: number): void
  throttle(isMeant: (route: string) => boolean, headers: Record<string, string>, status?: number): void
}

const forgeSecret = 'a-webhook-secret-of-the-tests'
export const forgeAccount = 'yard-bot'
const token = 'ghp_a-token-of-the-tests'

export async function startForgeServer(): Promise<ForgeServer> {
  const items: Item[] = []
  let ids = 1000
  let isImmediate = true
  let origin = ''

  const nextId = (): number => {
    ids += 1
    return ids
  }
  const index = (item: Item): void => {
    item.indexed = { labels: [...item.labels], state: item.state }
  }
  const change = (
    item: Item,
    event: string,
    { label, at = new Date() }: { label?: string; at?: Date | undefined } = {},
  ): void => {
    item.updatedAt = at
    item.events.push({
      id: nextId(),
      event,
      ...(label !== undefined && { label: { name: label } }),
      created_at: seconds(item.updatedAt),
    })
    if (isImmediate) index(item)
  }
  const urlOf = ({ repo, kind, number }: Item): string =>
    `${origin}/${repo}/${kind === 'issue' ? 'issues' : 'pull'}/${number}`
  const shown = (item: Item): object => ({
    id: item.number + 10_000,
    number: item.number,
    html_url: urlOf(item),
    repository_url: `${origin}/repos/${item.repo}`,
    title: item.title,
    body: item.body,
    user: { login: item.author, id: 1 },
    labels: item.labels.map((name) => ({ id: 1, name, color: 'ededed' })),
    state: item.state,
    created_at: seconds(item.createdAt),
    updated_at: seconds(item.updatedAt),
    ...(item.kind === 'pull_request' && { pull_request: { url: `${origin}/repos/${item.repo}/pulls/${item.number}` } }),
  })
  const found = (repo: string, number: string): Item | undefined =>
    items.find((item) => item.repo === repo && item.number === Number(number))

  const search = ({ q = '', page = '1', per_page = '30' }: Record<string, string>): Reply => {
    const repos = [...q.matchAll(/repo:([\w.-]+\/[\w.-]+)/g)].map(([, repo]) => repo)
    const [, labelText] = /label:((?:"[^"]*",?)+)/.exec(q) ?? []
    const labels = [...(labelText ?? '').matchAll(/"([^"]*)"/g)].map(([, label = '']) => label.toLowerCase())
    const since = /created:>=(\S+)/.exec(q)?.[1]
    const kind = q.includes('is:issue') ? 'issue' : 'pull_request'
    const all = items
      .filter((item) => item.kind === kind && repos.includes(item.repo) && item.indexed !== undefined)
      .filter((item) => !q.includes('state:open') || item.indexed?.state === 'open')
      .filter((item) => labels.length === 0 || item.indexed?.labels.some((each) => labels.includes(each.toLowerCase())))
      .filter((item) => since === undefined || seconds(item.createdAt) >= since)
      .toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime())
    const slice = all.slice((Number(page) - 1) * Number(per_page), Number(page) * Number(per_page))
    const wires = slice.map((item) => ({
      ...shown(item),
      labels: (item.indexed?.labels ?? []).map((name) => ({ id: 1, name, color: 'ededed' })),
    }))
    return { body: { total_count: all.length, incomplete_results: false, items: wires } }
  }
  const paged = (input: Record<string, string>, all: readonly object[]): Reply => {
    const [page, size] = [Number(input.page ?? 1), Number(input.per_page ?? 30)]
    const last = Math.ceil(all.length / size)
    const link = `<${origin}/elsewhere?per_page=${size}&page=${last}>; rel="last"`
    return { body: all.slice((page - 1) * size, page * size), ...(last > page && { headers: { link } }) }
  }
  const answer = ({ route, input, headers }: Received): Reply => {
    if (headers.authorization !== `token ${token}` && headers.authorization !== `bearer ${token}`)
      return { status: 401, body: { message: 'Bad credentials' } }
    if (route === 'GET /user') return { body: { login: forgeAccount, id: 1 } }
    if (route === 'GET /search/issues') return search(input)
    const [, repo = '', rest = '', number = '', sub = ''] =
      /^GET \/repos\/([^/]+\/[^/]+)\/(issues|pulls)(?:\/(\d+))?(?:\/(\w+))?$/.exec(route) ?? []
    if (rest === 'issues' && number === '')
      return paged(
        input,
        items
          .filter((item) => item.repo === repo)
          .toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime())
          .map(shown),
      )
    const item = found(repo, number)
    if (!item) return { status: 404, body: { message: 'Not Found' } }
    if (sub === 'events') return paged(input, item.events)
    if (rest === 'pulls') return { body: { ...shown(item), merged: item.merged, mergeable: item.mergeable } }
    return { body: shown(item) }
  }
  const remote = await remoteServer(
    ({ method, url = '' }) => `${method} ${decodeURIComponent(url.split('?')[0] ?? '')}`,
    answer,
  )
  origin = remote.url
  return {
    ...remote,
    environment: { FORGE_TOKEN: token, FORGE_WEBHOOK_SECRET: forgeSecret, FORGE_API_URL: remote.url },
    open: (repo, opening = {}) => {
      const {
        kind = 'issue',
        title = 'A title',
        body = 'A body.',
        author = 'ada',
        labels = [],
        at = new Date(),
      } = opening
      const number = items.filter((item) => item.repo === repo).length + 1
      const item: Item = {
        kind,
        repo,
        number,
        title,
        body,
        author,
        labels: [...labels],
        state: 'open',
        merged: false,
        mergeable: true,
        createdAt: at,
        updatedAt: at,
        events: [],
        indexed: undefined,
      }
      items.push(item)
      for (const label of labels)
        item.events.push({ id: nextId(), event: 'labeled', label: { name: label }, created_at: seconds(at) })
      if (isImmediate && opening.isIndexedLate !== true) index(item)
      return item
    },
    label: (item, name, at) => {
      item.labels.push(name)
      change(item, 'labeled', { label: name, at })
    },
    unlabel: (item, name, at) => {
      item.labels = item.labels.filter((each) => each !== name)
      change(item, 'unlabeled', { label: name, at })
    },
    closeItem: (item) => {
      item.state = 'closed'
      change(item, 'closed')
    },
    reopen: (item) => {
      item.state = 'open'
      change(item, 'reopened')
    },
    merge: (item) => {
      Object.assign(item, { state: 'closed', merged: true, mergeable: null })
      change(item, 'merged')
    },
    setMergeable: (item, mergeable) => {
      item.mergeable = mergeable
    },
    reindex: () => items.forEach(index),
    setIndexing: (value) => {
      isImmediate = value
    },
    urlOf,
    eventOf: (item, action, label) => ({
      action,
      ...(label !== undefined && { label: { id: 1, name: label } }),
      [item.kind]:
        item.kind === 'issue' ? shown(item) : { ...shown(item), merged: item.merged, mergeable: item.mergeable },
      repository: { id: 1, full_name: item.repo, html_url: `${origin}/${item.repo}` },
      sender: { login: item.author, id: 1 },
    }),
    searchIncompletely: (times) =>
      remote.next(
        (route) => route === 'GET /search/issues',
        ...Array.from({ length: times }, () => ({ body: { total_count: 9, incomplete_results: true, items: [] } })),
      ),
    throttle: (isMeant, headers, status = 403) =>
      remote.next(isMeant, { status, headers, body: { message: 'API rate limit exceeded' } }),
  }
}

export function signedByForge(
  body: string,
  about: { event: string; delivery?: string; secret?: string },
): Record<string, string> {
  const { event, delivery = randomUUID(), secret = forgeSecret } = about
  return {
    'content-type': 'application/json',
    'x-github-event': event,
    'x-github-delivery': delivery,
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  }
}

/** The forge's times have no fractions. */
function seconds(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, 'Z')
}
