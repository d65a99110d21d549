import { z } from 'zod'
import { boundedFetch } from '../../platform/bounded-fetch.ts'
import { parseJson } from '../../platform/parse-json.ts'
import { errnoOf } from '../../platform/process/errno.ts'
import { quote } from '../quote.ts'
import type { Login, RefreshAnswer } from './vendor-accounts.ts'

/** Less than the database allows an idle transaction: the row of the account is locked meanwhile. */
const timeoutMs = 8000
const maxCharacters = 100_000

type Order = {
  url: string
  body: Record<string, string>
  /** The login after an answer of 200. Undefined if the answer has no token. */
  renewed(answer: unknown): Login | undefined
}

/** Asks a vendor's token endpoint for a new pair of tokens. Never throws, because every answer has a consequence. */
export async function requestTokens({ url, body, renewed }: Order): Promise<RefreshAnswer> {
  try {
    const response = await boundedFetch(url, {
      method: 'POST',
      redirect: 'error',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await response.text()
    if (!response.ok) return refusalOf(response.status, text)
    const login = text.length > maxCharacters ? undefined : renewed(parseJson(text))
    return login ? { kind: 'renewed', login } : { kind: 'lost', detail: 'The answer has no token that can be read.' }
  } catch (error) {
    return failureOf(error)
  }
}

/** Until a connection is there nothing was sent. After that the vendor may have handled the request. */
const unsent: readonly string[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']

function failureOf(error: unknown): RefreshAnswer {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const code = errnoOf(cause) ?? ''
  const detail = cause instanceof Error ? quote(cause.message) : 'The request failed.'
  return { kind: unsent.includes(code) ? 'unavailable' : 'lost', detail }
}

const Refusal = z.object({
  error: z
    .union([
      z.string(),
      z.object({ code: z.string().nullish(), type: z.string().nullish(), message: z.string().nullish() }),
    ])
    .optional(),
  error_description: z.string().nullish(),
})

/** The code of the answer decides, then the status. */
function refusalOf(status: number, text: string): RefreshAnswer {
  const body = parseJson(text.slice(0, maxCharacters))
  const { data } = Refusal.safeParse(body)
  const error = data?.error
  const code = typeof error === 'string' ? error : (error?.code ?? error?.type ?? '')
  const words = `${code} ${data?.error_description ?? (typeof error === 'object' ? error.message : '') ?? ''}`
  const detail = `The vendor answered ${status}${words.trim() === '' ? '' : ` (${quote(words.trim())})`}.`
  // A page with another status comes from a proxy or a filter before the vendor, which has not seen the token.
  const isPage = body === undefined && status !== 401 && status !== 404
  if (status >= 500 || status === 429 || status === 408 || isPage) return { kind: 'unavailable', detail }
  if (/reused|already.been.used/i.test(words)) return { kind: 'unknown_token', detail }
  if (/expired|revoked|invalidated/i.test(words)) return { kind: 'dead', detail }
  return { kind: status === 401 || status === 404 ? 'dead' : 'unknown_token', detail }
}
