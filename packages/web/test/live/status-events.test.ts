import { QueryClient } from '@tanstack/react-query'
import { expect, onTestFinished, test, vi } from 'vitest'
import { reactions } from '../../src/features/board/reactions.ts'

test('a change of status is drawn at once after a quiet time, and those that follow together a tenth of a second later', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const cache = new QueryClient()
  const cards = [1, 2, 3].map((id) => ({ id, status: 'waiting' }))
  cache.setQueryData(['board.show', {}], { sections: [{ key: 'all', cards }] })
  const shown = () =>
    cache
      .getQueryData<{ sections: { cards: { status: string }[] }[] }>(['board.show', {}])
      ?.sections.flatMap((section) => section.cards.map(({ status }) => status))
  const react = reactions['session.status_changed']
  if (typeof react !== 'function') throw new Error('the board follows changes of status by a function')
  const change = (session_id: number) =>
    react({ name: 'session.status_changed', data: { session_id, to: 'running' } } as Parameters<typeof react>[0], cache)
  change(1)
  vi.advanceTimersByTime(0)
  expect(shown()).toEqual(['running', 'waiting', 'waiting'])
  change(2)
  vi.advanceTimersByTime(40)
  change(3)
  vi.advanceTimersByTime(40)
  expect(shown()).toEqual(['running', 'waiting', 'waiting'])
  vi.advanceTimersByTime(20)
  expect(shown()).toEqual(['running', 'running', 'running'])
})
