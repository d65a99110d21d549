import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { textArray } from '../../../src/platform/db/text-array.ts'
import { testDatabase } from '../../support/database/database.ts'
import { openTestDatabase } from '../../support/jobs/job-host.ts'

const hostile = ['', '"', '\\', '\\"\\', '{a,b}', 'NULL', "it's", 'é→😀', ' blank ', 'a\nb']

test.each([
  ['short texts', hostile, 1],
  ['long texts', [...hostile, '\\"'.repeat(50_000)], hostile.length + 1],
])(
  '%s arrive as they are, the long ones as parameters that the driver does not escape',
  async (_, texts, parameters) => {
    const { url } = await testDatabase()
    const { db } = openTestDatabase(url)
    const query = sql<{
      text: string
    }>`select text from unnest(${textArray(texts)}) with ordinality as t (text, n) order by n`

    expect(query.compile(db).parameters).toHaveLength(parameters)
    expect((await query.execute(db)).rows.map(({ text }) => text)).toEqual(texts)
  },
)
