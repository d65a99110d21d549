import { expect, test } from 'vitest'
import { pruning, type Retention, type Slice, usualSliceRows } from '../../../src/platform/jobs/pruning.ts'

const retention: Retention = {
  logs: 90,
  verboseLogs: 0,
  events: 3,
  notifications: 1,
  turns: 1,
  snapshots: 1,
  quotas: 30,
  orphans: 1,
  deadJobs: 1,
  audit: 1,
}

function pruned(left: number[], keeps: keyof Retention | { days: number } = 'logs') {
  const slices: Slice[] = []
  const work = pruning<{ retention: Retention }>()({
    name: 'prune_words',
    keeps,
    deleteSome: async (_app, slice) => {
      slices.push(slice)
      return left.shift() ?? 0
    },
  })
  return { slices, run: (signal = new AbortController().signal) => work.run({ retention }, signal) }
}

test('old rows are deleted slice by slice until one is not full', async () => {
  const { slices, run } = pruned([usualSliceRows, usualSliceRows, 3, 99])
  expect(await run()).toBe('done')
  expect(slices).toEqual(Array(3).fill({ days: 90, limit: usualSliceRows }))
})

test('nothing is deleted of what is kept for 0 days, which means for ever', async () => {
  const { slices, run } = pruned([1], 'verboseLogs')
  expect(await run()).toBe('done')
  expect(slices).toEqual([])
})

test('what the service itself needs is kept for a time that no setting changes', async () => {
  const { slices, run } = pruned([], { days: 7 })
  await run()
  expect(slices).toEqual([{ days: 7, limit: usualSliceRows }])
})

test('pruning stops between two slices when the host shuts down', async () => {
  const { slices, run } = pruned([usualSliceRows, usualSliceRows, usualSliceRows])
  const stopping = new AbortController()
  const running = run(stopping.signal)
  stopping.abort()
  await running
  expect(slices).toHaveLength(1)
})
