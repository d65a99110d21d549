import { expect, test } from 'vitest'
import { withRetries } from '../../src/platform/with-retries.ts'

function failing(times: number) {
  let count = 0
  return {
    attempt: async () => {
      count += 1
      if (count <= times) throw new Error(`failure ${count}`)
      return `attempt ${count}`
    },
    count: () => count,
  }
}

test('retries and calls onRetry until an attempt succeeds', async () => {
  const { attempt } = failing(2)
  const told: string[] = []
  const retries = {
    delaysMs: [1, 2, 4],
    isWorthIt: () => true,
    onRetry: (error: unknown, delayMs: number) => void told.push(`${String(error)} ${delayMs}`),
  }
  expect(await withRetries(attempt, retries)).toBe('attempt 3')
  expect(told).toEqual(['Error: failure 1 1', 'Error: failure 2 2'])
})

test('throws the error of the last attempt', async () => {
  const { attempt, count } = failing(9)
  await expect(withRetries(attempt, { delaysMs: [1, 1], isWorthIt: () => true })).rejects.toThrow('failure 3')
  expect(count()).toBe(3)
})

test('does not retry when isWorthIt is false', async () => {
  const { attempt, count } = failing(9)
  await expect(withRetries(attempt, { delaysMs: [1], isWorthIt: () => false })).rejects.toThrow('failure 1')
  expect(count()).toBe(1)
})

test('an abort ends the wait', async () => {
  const { attempt, count } = failing(9)
  const abort = new AbortController()
  const retries = { delaysMs: [60_000], isWorthIt: () => true, onRetry: () => abort.abort(), signal: abort.signal }
  await expect(withRetries(attempt, retries)).rejects.toMatchObject({ name: 'AbortError' })
  expect(count()).toBe(1)
})
