import type { Octokit } from '@octokit/core'
import { z } from 'zod'
import { boundedFetch } from '../bounded-fetch.ts'
import { RemoteFailed, unlessRefused } from '../remote-failed.ts'
import { withRetries } from '../with-retries.ts'
import { type ForgeItem, RepoName, readItem, repoOfUrl, WireItem } from './item.ts'

export type Search = {
  kind: ForgeItem['kind']
  repos: readonly string[]
  /** Any one of them. */
  labels?: readonly string[]
  isOpen?: boolean
  createdSince?: Date
}

export type PullRequest = {
  url: string
  title: string
  state: 'open' | 'closed' | 'merged'
  /** Undefined while the forge has not computed it. */
  hasConflict: boolean | undefined
  createdAt: Date
}

export type Labelling = { eventId: number; at: Date }

/** The forge as we use it. */
export type Forge = {
  /** Whether text that names an address may name an item of this forge. */
  webUrl: string
  /** The account of our token; undefined for a token without one. */
  account(): Promise<string | undefined>
  /** Refuses an incomplete result, after two retries. */
  search(search: Search): Promise<ForgeItem[]>
  /** The issues of a repository that were created since then, by plain listing: exact where the search index is late. */
  issuesSince(repo: string, since: Date): Promise<ForgeItem[]>
  /**
   * The event by which the label came to stand on the open item: its addition, or the item's reopening. Undefined also for an
   * item that is gone and still in the search index.
   */
  labelledBy(repo: string, number: number, label: string): Promise<Labelling | undefined>
  pullRequest(repo: string, number: number): Promise<PullRequest | undefined>
  /** Undefined for an issue that does not exist, or that our token may not see. */
  issueState(repo: string, number: number): Promise<'open' | 'closed' | undefined>
}

export type ForgeOptions = {
  token: string
  apiUrl: string
  delaysMs?: { failed: readonly number[]; incomplete: readonly number[] }
  timeoutMs?: number
}

const requestTimeoutMs = 15_000
/** No new attempt begins after this long. */
const retryWithinMs = 20_000
const pageSize = 100
/** The forge returns at most 1,000 results of a search. */
const maxPages = 10
const defaultDelays = { failed: [1000, 3000], incomplete: [500, 1500] }

/** The vendor's client is loaded by the first call. */
export function openForge(options: ForgeOptions): Forge {
  const { token, apiUrl, delaysMs = defaultDelays, timeoutMs = requestTimeoutMs } = options
  let client: Promise<Octokit> | undefined
  const request: Request = async (route, input, schema) => {
    client ??= openClient(token, apiUrl)
    const octokit = await client
    const startedAt = performance.now()
    const send = async () => {
      try {
        const signal = AbortSignal.timeout(timeoutMs)
        return await octokit.request(route, { ...input, request: { signal } })
      } catch (error) {
        throw asRemoteFailure(error)
      }
    }
    const isWorthIt = (error: unknown): boolean =>
      error instanceof RemoteFailed && error.kind === 'unreachable' && performance.now() - startedAt < retryWithinMs
    const { data, headers } = await withRetries(send, { delaysMs: delaysMs.failed, isWorthIt })
    const parsed = schema.safeParse(data)
    if (!parsed.success) throw new RemoteFailed('unreachable', `the forge answered ${route} in an unknown form`)
    return { data: parsed.data, lastPage: lastPageOf(headers.link) }
  }
  let ownAccount: Promise<string | undefined> | undefined
  return {
    webUrl: webUrlOf(apiUrl),
    account: () => {
      ownAccount ??= request('GET /user', {}, Account).then(
        ({ data: { login } }) => login,
        (error: unknown) => {
          ownAccount = undefined
          // A token of an app has no account.
          if (error instanceof RemoteFailed && error.kind === 'refused') return undefined
          throw error
        },
      )
      return ownAccount
    },
    search: (search) =>
      withRetries(() => searchOnce(request, search), {
        delaysMs: delaysMs.incomplete,
        isWorthIt: (error) => error instanceof RemoteFailed && error.kind === 'incomplete',
      }),
    issuesSince: (repo, since) => listIssues(request, repo, since),
    labelledBy: (repo, number, label) => unlessRefused(findLabelling(request, { repo, number, label }), undefined),
    pullRequest: (repo, number) => unlessMissing(showPullRequest(request, repo, number)),
    issueState: (repo, number) => unlessMissing(showIssueState(request, repo, number)),
  }
}

type Answer<T> = { data: T /** The number of the last page, if there are several. */; lastPage: number | undefined }
type Request = <T>(route: string, input: Record<string, unknown>, schema: z.ZodType<T>) => Promise<Answer<T>>

async function openClient(token: string, apiUrl: string): Promise<Octokit> {
  const { Octokit } = await import('@octokit/core')
  const nothing = (): void => undefined
  return new Octokit({
    auth: token,
    baseUrl: apiUrl.replace(/\/+$/, ''),
    userAgent: 'yardmaster',
    request: { fetch: boundedFetch },
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  })
}

/** Retried: no answer, 5xx, 401 and 408. Not retried: other refusals, rate limits and requests that hang. */
function asRemoteFailure(error: unknown): RemoteFailed {
  const { status, message, response, name, cause } = Object(error)
  if (name === 'TimeoutError' || name === 'AbortError' || Object(cause).name === 'TimeoutError')
    return new RemoteFailed('hung', 'the forge did not answer in time')
  if (response === undefined) return new RemoteFailed('unreachable', String(message), { cause: error })
  const text = String(Object(response.data).message ?? message)
  const retryAfterSeconds = throttleOf(Number(status), Object(response.headers))
  if (retryAfterSeconds !== undefined) return new RemoteFailed('throttled', text, { retryAfterSeconds })
  const isRetried = status >= 500 || status === 401 || status === 408
  return new RemoteFailed(isRetried ? 'unreachable' : 'refused', `${text} (HTTP ${status})`)
}

/** The forge limits with 429 or 403, and names a delay or the time when the limit resets. */
function throttleOf(status: number, headers: Record<string, unknown>): number | undefined {
  const after = Number(headers['retry-after'] ?? Number.NaN)
  if (status !== 429 && status !== 403) return undefined
  if (Number.isFinite(after)) return after
  const resetAt = Number(headers['x-ratelimit-reset'] ?? Number.NaN)
  if (headers['x-ratelimit-remaining'] === '0' && Number.isFinite(resetAt))
    return Math.max(1, Math.ceil(resetAt - Date.now() / 1000))
  return status === 429 ? 60 : undefined
}

async function searchOnce(request: Request, search: Search): Promise<ForgeItem[]> {
  const found: ForgeItem[] = []
  for (let page = 1; page <= maxPages; page += 1) {
    const input = {
      q: queryOf(search),
      per_page: pageSize,
      page,
      sort: 'created',
      order: 'desc',
      advanced_search: 'true',
    }
    const { data } = await request('GET /search/issues', input, SearchPage)
    const { incomplete_results, items } = data
    if (incomplete_results) throw new RemoteFailed('incomplete', 'the forge searched only a part of its index')
    for (const item of items) found.push(readItem(item.repository_url, search.kind, item))
    if (items.length < pageSize) break
  }
  return found
}

function queryOf({ kind, repos, labels = [], isOpen, createdSince }: Search): string {
  return [
    `is:${kind === 'issue' ? 'issue' : 'pr'}`,
    ...(isOpen === true ? ['state:open'] : []),
    `(${repos.map((repo) => `repo:${repo}`).join(' OR ')})`,
    ...(labels.length > 0 ? [`label:${labels.map((label) => `"${label.replaceAll(/["\\]/g, '')}"`).join(',')}`] : []),
    ...(createdSince ? [`created:>=${createdSince.toISOString().replace(/\.\d+Z$/, 'Z')}`] : []),
  ].join(' ')
}

async function listIssues(request: Request, repo: string, since: Date): Promise<ForgeItem[]> {
  const found: ForgeItem[] = []
  for (let page = 1; page <= maxPages; page += 1) {
    const input = { ...named(repo), state: 'all', sort: 'created', direction: 'desc', per_page: pageSize, page }
    const { data: wires } = await request('GET /repos/{owner}/{name}/issues', input, z.array(WireItem))
    const issues = wires.filter(({ pull_request }) => pull_request === undefined)
    const recent = issues.map((wire) => readItem(repo, 'issue', wire)).filter(({ createdAt }) => createdAt >= since)
    found.push(...recent)
    if (wires.length < pageSize || recent.length < issues.length) break
  }
  return found
}

/**
 * The forge lists the oldest events first, and the newest decide: after the first page the last ones are read, backwards. Only
 * the number of the last page is taken from the forge's link, never the address.
 */
async function findLabelling(
  request: Request,
  { repo, number, label }: { repo: string; number: number; label: string },
): Promise<Labelling | undefined> {
  const read = (page: number) => {
    const input = { ...named(repo), number, per_page: pageSize, page }
    return request('GET /repos/{owner}/{name}/issues/{number}/events', input, z.array(WireEvent))
  }
  const { data: oldest, lastPage = 1 } = await read(1)
  let reopening: WireEvent | undefined
  for (let page = lastPage; page > Math.max(0, lastPage - maxPages); page -= 1) {
    const events = page === 1 ? oldest : (await read(page)).data
    for (const event of events.toReversed()) {
      const isOfLabel = event.label?.name.toLowerCase() === label.toLowerCase()
      if (event.event === 'unlabeled' && isOfLabel) return undefined
      if (event.event === 'reopened') reopening ??= event
      if (event.event !== 'labeled' || !isOfLabel) continue
      const { id: eventId, created_at: at } = reopening ?? event
      return { eventId, at: new Date(at) }
    }
  }
  return undefined
}

function lastPageOf(link: string | undefined): number | undefined {
  const [, address = ''] = /<([^<>]+)>;\s*rel="last"/.exec(link ?? '') ?? []
  const page = URL.canParse(address) ? Number(new URL(address).searchParams.get('page')) : 0
  return Number.isSafeInteger(page) && page > 0 ? page : undefined
}

async function showPullRequest(request: Request, repo: string, number: number): Promise<PullRequest> {
  const input = { ...named(repo), number }
  const { data: wire } = await request('GET /repos/{owner}/{name}/pulls/{number}', input, WirePullRequest)
  return {
    url: wire.html_url,
    title: wire.title,
    state: wire.merged ? 'merged' : wire.state === 'open' ? 'open' : 'closed',
    hasConflict: wire.mergeable === null ? undefined : !wire.mergeable,
    createdAt: new Date(wire.created_at),
  }
}

async function showIssueState(request: Request, repo: string, number: number): Promise<'open' | 'closed'> {
  const { data } = await request('GET /repos/{owner}/{name}/issues/{number}', { ...named(repo), number }, WireState)
  return data.state === 'open' ? 'open' : 'closed'
}

/** Undefined for what the forge says does not exist, or no longer does. */
async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof RemoteFailed && error.kind === 'refused' && /HTTP (404|410)/.test(error.message))
      return undefined
    throw error
  }
}

function named(repo: string): { owner: string; name: string } {
  const [owner = '', name = ''] = repo.split('/')
  return { owner, name }
}

/** `https://api.github.com` shows its pages at `https://github.com`; an own installation has both under one host. */
function webUrlOf(apiUrl: string): string {
  const { protocol, host } = new URL(apiUrl)
  return `${protocol}//${host.replace(/^api\./, '')}`
}

const WireState = z.object({ state: z.string() })
const Account = z.object({ login: z.string() })
const FoundItem = WireItem.extend({ repository_url: z.string().transform(repoOfUrl).pipe(RepoName) })
const SearchPage = z.object({ incomplete_results: z.boolean(), items: z.array(FoundItem) })
const WireEvent = z.object({
  id: z.int(),
  event: z.string(),
  created_at: z.iso.datetime({ offset: true }),
  label: z.object({ name: z.string() }).optional(),
})
type WireEvent = z.infer<typeof WireEvent>

const WirePullRequest = z.object({
  html_url: z.string(),
  title: z.string(),
  state: z.string(),
  merged: z.boolean(),
  mergeable: z
    .boolean()
    .nullish()
    .transform((value) => value ?? null),
  created_at: z.iso.datetime({ offset: true }),
})
