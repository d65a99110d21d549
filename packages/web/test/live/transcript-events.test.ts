import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, onTestFinished, test } from 'vitest'
import { reactions } from '../../src/features/board/reactions.ts'

test('what an agent writes makes the board stale only while its row is on the page, and for a read in some seconds', () => {
  const cache = new QueryClient()
  onTestFinished(() => cache.clear())
  cache.setQueryData(['board.show', {}], { sections: [{ key: 'all', cards: [{ id: 1 }] }] })
  const react = reactions['transcript.appended']
  if (typeof react !== 'function') throw new Error('the board follows what is written by a function')
  const write = (session_id: number, thread = 'main') =>
    react(
      { name: 'transcript.appended', data: { session_id, thread, from: 1, to: 1 } } as Parameters<typeof react>[0],
      cache,
    )
  expect(write(1)).toBeUndefined()
  const shown = new QueryObserver(cache, { queryKey: ['board.show', {}], queryFn: () => null, staleTime: Infinity })
  const leave = shown.subscribe(() => undefined)
  onTestFinished(leave)
  expect(write(1)).toEqual({ names: ['board.show'], everyMs: 4_000 })
  expect(write(1, 'a subagent')).toBeUndefined()
  expect(write(2)).toBeUndefined()
})
