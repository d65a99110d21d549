import { expect, test } from 'vitest'
import { writeBehind } from '../../../src/platform/db/write-behind.ts'
import { recordedLog } from '../../support/log/recorded-log.ts'
import { eventually } from '../../support/vitest/eventually.ts'

test('rows of a moment are written together, and a close writes what is left', async () => {
  const batches: (readonly number[])[] = []
  const { log } = recordedLog()
  const behind = writeBehind<number>({ what: 'rows', log, write: async (rows) => void batches.push([...rows]) })
  for (let row = 0; row < 1200; row += 1) behind.add(row)
  expect(batches).toEqual([])
  await behind.close()
  expect(batches.map(({ length }) => length)).toEqual([500, 500, 200])
  expect(batches.flat()).toEqual(Array.from({ length: 1200 }, (_, row) => row))
})

test('rows that the database refuses are written when it takes them, in order', async () => {
  const written: number[] = []
  const { log, records } = recordedLog()
  let failures = 0
  const write = async (rows: readonly number[]): Promise<void> => {
    if (failures++ === 0) throw new Error('refused')
    written.push(...rows)
  }
  const behind = writeBehind<number>({ what: 'rows', log, write })
  behind.add(1)
  behind.add(2)
  await eventually(
    async () => written,
    ({ length }) => length === 2,
  )
  expect(written).toEqual([1, 2])
  expect(records()).toMatchObject([{ msg: 'rows could not be written', waiting: 2 }])
  await behind.close()
})

test('a close gives up on a database that stays away, and the log says how many rows are lost', async () => {
  const { log, records } = recordedLog()
  const behind = writeBehind<number>({ what: 'rows', log, write: () => Promise.reject(new Error('away')) })
  behind.add(1)
  await behind.close()
  expect(records().at(-1)).toMatchObject({ msg: 'rows are lost', lost: 1 })
})

test('at most twenty thousand rows wait, and the log says that others are dropped', async () => {
  const { log, records } = recordedLog()
  const written: number[] = []
  const write = async (rows: readonly number[]): Promise<void> => void written.push(...rows)
  const behind = writeBehind<number>({ what: 'rows', log, write })
  for (let row = 0; row < 20_100; row += 1) behind.add(row)
  await behind.close()
  expect(written).toHaveLength(20_000)
  expect(written.at(-1)).toBe(20_099)
  expect(records()).toMatchObject([{ msg: 'rows are dropped: the database takes none', dropped: 1 }])
})
