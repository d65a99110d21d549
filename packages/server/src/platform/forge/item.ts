import { z } from 'zod'
import { storable } from '../storable-text.ts'

/** An issue or a pull request of the forge, from a search, a list or a webhook. */
export type ForgeItem = {
  kind: 'issue' | 'pull_request'
  /** `owner/name`. */
  repo: string
  number: number
  url: string
  title: string
  /** The text that its author wrote, cut to 10,000 characters. */
  body: string
  author: string
  labels: string[]
  isOpen: boolean
  createdAt: Date
  updatedAt: Date
}

const bodyMax = 10_000
/** The largest number that PostgreSQL stores as `int`. */
const maxNumber = 2 ** 31 - 1

/** `.` and `..` are no names: in an address they would lead elsewhere. */
export const RepoName = z.string().regex(/^(?!\.{1,2}\/)[\w.-]{1,100}\/(?!\.{1,2}$)[\w.-]{1,100}$/)
export function isRepoName(text: string): boolean {
  return RepoName.safeParse(text).success
}

const Login = z.string().regex(/^[\w.-]+(\[bot\])?$/)

export const WireItem = z.object({
  number: z.int().positive().max(maxNumber),
  /** Normalized: `URL` accepts line breaks in an address. */
  html_url: z.url({ protocol: /^https?$/, normalize: true }),
  title: z.string(),
  body: z.string().nullish(),
  user: z.object({ login: Login }).nullish(),
  labels: z.array(z.union([z.string(), z.object({ name: z.string().nullish() })])).default([]),
  state: z.string(),
  created_at: z.iso.datetime({ offset: true }),
  updated_at: z.iso.datetime({ offset: true }),
  /** On an issue that is a pull request. */
  pull_request: z.unknown().optional(),
})
export type WireItem = z.infer<typeof WireItem>

export function readItem(repo: string, kind: ForgeItem['kind'], wire: WireItem): ForgeItem {
  return {
    kind,
    repo,
    number: wire.number,
    url: wire.html_url,
    title: storable(wire.title),
    body: Array.from(storable(wire.body ?? '').slice(0, 2 * bodyMax))
      .slice(0, bodyMax)
      .join(''),
    author: wire.user?.login ?? 'ghost',
    labels: wire.labels.flatMap((label) => (typeof label === 'string' ? label : (label.name ?? []))).map(storable),
    isOpen: wire.state === 'open',
    createdAt: new Date(wire.created_at),
    updatedAt: new Date(wire.updated_at),
  }
}

/** `https://api.forge/repos/acme/api` names the repository `acme/api`. */
export function repoOfUrl(url: string): string {
  return url.split('/').slice(-2).join('/')
}
