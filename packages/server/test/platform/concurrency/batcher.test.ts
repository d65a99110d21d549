import { setImmediate as breathe } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { servingTogether } from '../../../src/platform/concurrency/batcher.ts'

/** Serves by repeating, one group at a time, each when it is let go. */
function held() {
  const groups: string[][] = []
  const letGo: (() => void)[] = []
  const serve = async (asks: readonly string[]): Promise<string[]> => {
    groups.push([...asks])
    await new Promise<void>((resolve) => letGo.push(resolve))
    if (asks.includes('bad')) throw new Error('this group failed')
    return asks.map((ask) => `${ask}!`)
  }
  const next = async (): Promise<void> => {
    letGo.shift()?.()
    await breathe()
  }
  return { groups, serve, next }
}

describe('those who ask under one key', () => {
  test('are served at once when nobody is being served', () => {
    const { groups, serve } = held()
    void servingTogether()('door', 'a', serve)
    expect(groups).toEqual([['a']])
  })

  test('wait while others are served, and are then served together in the order of asking', async () => {
    const { groups, serve, next } = held()
    const together = servingTogether()
    const answers = ['a', 'b', 'c', 'd'].map((ask) => together('door', ask, serve))
    expect(groups).toEqual([['a']])
    await next()
    expect(groups).toEqual([['a'], ['b', 'c', 'd']])
    answers.push(together('door', 'e', serve))
    await next()
    await next()
    expect(groups).toHaveLength(3)
    expect(await Promise.all(answers)).toEqual(['a!', 'b!', 'c!', 'd!', 'e!'])
  })

  test('are a hundred at most in one group', async () => {
    const { groups, serve, next } = held()
    const together = servingTogether()
    const answers = Array.from({ length: 251 }, (_, index) => together('door', `${index}`, serve))
    for (let round = 0; round < 4; round += 1) await next()
    expect(groups.map(({ length }) => length)).toEqual([1, 100, 100, 50])
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 251 }, (_, index) => `${index}!`))
  })

  test('all learn that their group failed, and the next is served all the same', async () => {
    const { serve, next } = held()
    const together = servingTogether()
    const first = together('door', 'a', serve)
    const failed = Promise.allSettled(['b', 'bad'].map((ask) => together('door', ask, serve)))
    await next()
    const later = together('door', 'c', serve)
    await next()
    await next()
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await Promise.all([first, later])).toEqual(['a!', 'c!'])
  })

  test('learn of a group that was not answered in full', async () => {
    await expect(servingTogether()('door', 'a', async () => [])).rejects.toThrow('1 asked and 0 were answered')
  })
})

test('those who ask under different keys do not wait for each other', async () => {
  const { groups, serve, next } = held()
  const together = servingTogether()
  const answers = [together('one', 'a', serve), together('other', 'b', serve)]
  expect(groups).toEqual([['a'], ['b']])
  await next()
  await next()
  expect(await Promise.all(answers)).toEqual(['a!', 'b!'])
})
