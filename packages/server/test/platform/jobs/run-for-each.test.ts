import { describe, expect, test } from 'vitest'
import { runForEach } from '../../../src/platform/jobs/run-for-each.ts'

describe('runForEach', () => {
  test('runForEach goes on after a failure and names the ids that failed', async () => {
    const done: number[] = []
    const work = async (id: number) => {
      if (id % 2 === 0) throw new Error('even')
      done.push(id)
    }

    await expect(runForEach([1, 2, 3, 4, 5], work)).rejects.toThrow('2 of 5 failed (2: even)')

    expect(done).toEqual([1, 3, 5])
  })

  test('runForEach stops at an outage of the database', async () => {
    const tried: number[] = []
    const outage = Object.assign(new Error('the server is shutting down'), { code: '57P01' })
    const work = async (id: number) => {
      tried.push(id)
      throw outage
    }

    await expect(runForEach([1, 2], work)).rejects.toBe(outage)

    expect(tried).toEqual([1])
  })
})
