import { describe, expect, test } from 'vitest'
import { takingTurns } from '../../../src/platform/concurrency/mutex.ts'
import { sharedRuns } from '../../../src/platform/concurrency/single-flight.ts'
import { failureOf } from '../git/playground.ts'

describe('taking turns', () => {
  test('runs one after the other under a key, in order, and different keys side by side', async () => {
    const inTurn = takingTurns()
    const order: string[] = []
    const first = makeLatch()
    const runs = [
      inTurn('a', undefined, async () => {
        await first.opened
        order.push('a1')
      }),
      inTurn('a', undefined, async () => {
        order.push('a2')
      }),
      inTurn('b', undefined, async () => {
        order.push('b1')
        first.open()
      }),
    ]
    await Promise.all(runs)

    expect(order).toEqual(['b1', 'a1', 'a2'])
  })

  test('a failure does not stop those behind', async () => {
    const inTurn = takingTurns()
    const failing = failureOf(inTurn('a', undefined, () => Promise.reject(new Error('Broken'))))

    expect(await inTurn('a', undefined, async () => 'next')).toBe('next')
    expect(await failing).toMatchObject({ message: 'Broken' })
  })

  test('whoever gives up waiting does not let those behind past those before', async () => {
    const inTurn = takingTurns()
    const latch = makeLatch()
    const controller = new AbortController()
    const order: string[] = []
    const first = inTurn('a', undefined, async () => {
      await latch.opened
      order.push('first')
    })
    const second = failureOf(inTurn('a', controller.signal, async () => order.push('second')))
    controller.abort(new Error('Gave up'))
    expect(await second).toMatchObject({ message: 'Gave up' })
    const third = inTurn('a', undefined, async () => order.push('third'))
    latch.open()
    await Promise.all([first, third])

    expect(order).toEqual(['first', 'third'])
  })
})

describe('shared runs', () => {
  test('are shared by those who ask before the beginning, and by nobody who asks after', async () => {
    const join = sharedRuns()
    const latch = makeLatch()
    let runs = 0
    const start = async (run: { begin: () => void }) => {
      await latch.opened
      run.begin()
      runs += 1
      await new Promise((resolve) => setImmediate(resolve))
    }
    const early = [join('a', undefined, start), join('a', undefined, start)]
    latch.open()
    await Promise.resolve()
    await Promise.resolve()
    expect(runs).toBe(1)
    await Promise.all([...early, join('a', undefined, start)])

    expect(runs).toBe(2)
  })

  test('fail for all who share them, and the next one starts afresh', async () => {
    const join = sharedRuns()
    const fail = () => Promise.reject(new Error('Broken'))
    const both = await Promise.all([failureOf(join('a', undefined, fail)), failureOf(join('a', undefined, fail))])

    expect(both).toMatchObject([{ message: 'Broken' }, { message: 'Broken' }])
    await expect(join('a', undefined, async () => {})).resolves.toBeUndefined()
  })

  test('go on while one caller is left, and are aborted and waited for when the last one leaves', async () => {
    const join = sharedRuns()
    const [one, two] = [new AbortController(), new AbortController()]
    let ended = false
    const start = async (run: { signal: AbortSignal }) => {
      await new Promise((resolve) => run.signal.addEventListener('abort', resolve))
      await new Promise((resolve) => setImmediate(resolve))
      ended = true
    }
    const first = failureOf(join('a', one.signal, start))
    const second = failureOf(join('a', two.signal, start))
    one.abort(new Error('One'))
    expect(await first).toMatchObject({ message: 'One' })
    expect(ended).toBe(false)
    two.abort(new Error('Two'))

    expect(await second).toMatchObject({ message: 'Two' })
    expect(ended).toBe(true)
  })
})

function makeLatch() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}
