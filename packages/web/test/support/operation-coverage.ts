import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { addresses } from '@yardmaster/client/addresses'
import { webAddresses } from '@yardmaster/client/web-addresses'
import type { BrowserContext } from 'playwright-core'
import { calledOperations } from '../../../server/test/support/vitest/called-operations.ts'

const coverage = calledOperations({
  variable: 'YARDMASTER_PAGE_OPERATIONS',
  uncalled: (called) => usedByPages().filter((name) => !called.has(name)),
  complaint: 'No test lets a page call these operations with success',
})
export default coverage.setup

/** A test may leave a request without an answer on purpose. */
const longestWaitMs = 10_000

/**
 * Notes which operations the pages of a browser call with success. The returned function waits for the answers to requests that
 * were made: a test may see on the server what its last click did before the page has the answer.
 */
export function recordOperations(context: Pick<BrowserContext, 'on'>): () => Promise<void> {
  const underway = new Set<Promise<void>>()
  context.on('request', (request) => {
    const name = nameOf(request.method(), new URL(request.url()).pathname)
    if (name === undefined || coverage.hasRecorded(name)) return
    const answered = request
      .response()
      .then((response) => {
        if (response?.ok()) coverage.record(name)
      })
      // The page was closed.
      .catch(() => undefined)
      .finally(() => underway.delete(answered))
    underway.add(answered)
  })
  return async () => {
    await Promise.race([Promise.all(underway), sleep(longestWaitMs, undefined, { ref: false })])
  }
}

export function nameOf(method: string, path: string): string | undefined {
  return known.find(({ pattern }) => pattern.test(`${method} ${path}`))?.name
}

/** Those with few variable parts come first: `/triggers/channels` before `/triggers/{id}`. */
const known = Object.entries({ ...addresses, ...webAddresses })
  .map(([name, address]) => ({ name, parts: address.split('{').length, pattern: patternOf(address) }))
  .toSorted((one, other) => one.parts - other.parts)

function patternOf(address: string): RegExp {
  const [method = '', path = ''] = address.split(' ')
  const below = path.startsWith('/web/') ? path.slice('/web'.length) : `/v1${path}`
  return new RegExp(`^${method} /web/~[^/]+${below.replace(/\{\w+\}/g, '[^/]+')}$`)
}

/** Pages call operations by their names. Comments may name one as an example. */
export function usedByPages(): string[] {
  const folder = fileURLToPath(new URL('../../src/', import.meta.url))
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file))
  const code = files.map((file) => readFileSync(join(folder, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/ .*/g, ''))
  const names = new Set(known.map(({ name }) => name))
  const words = code.flatMap((text) => text.match(/(?<=')[a-z_]+\.[a-z_]+(?=')/g) ?? [])
  return [...new Set(words)].filter((word) => names.has(word)).toSorted()
}
