import { expect, test } from 'vitest'
import { ranksAfterMove } from '../../src/features/board/ranked-order.ts'

const spot = (id: number, precedence: number) => ({ id, precedence, priority_class: 'spot' as const })
const priority = (id: number, precedence: number) => ({ id, precedence, priority_class: 'priority' as const })

test.each([
  ['to the top takes a rank above the first', [spot(1, 9), spot(2, 4), spot(3, 0)], 3, { beforeId: 1 }, [[3, 14]]],
  ['to the end takes a rank below the last', [spot(1, 9), spot(2, 4), spot(3, 0)], 1, { afterId: 3 }, [[1, -5]]],
  ['between two takes a free rank', [spot(1, 9), spot(2, 4), spot(3, 0)], 3, { beforeId: 2 }, [[3, 6]]],
  [
    'between two of one rank moves those above it up, as far as needed',
    [spot(1, 9), spot(2, 0), spot(3, 0), spot(4, 0)],
    4,
    { beforeId: 3 },
    [
      [4, 1],
      [2, 2],
    ],
  ],
  ['counts only the cards of its class', [priority(1, 50), spot(2, 3), spot(3, 0)], 3, { beforeId: 1 }, [[3, 8]]],
  ['alone in its class changes nothing', [priority(1, 50), spot(2, 3)], 2, { beforeId: 1 }, []],
] as const)('a card that moves %s', (_, cards, id, to, expected) => {
  expect([...ranksAfterMove(cards, id, to)]).toEqual(expected)
})
