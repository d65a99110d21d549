import { expect, test } from 'vitest'
import { modules } from '../../src/app/modules.ts'
import { testDatabase } from '../support/database/database.ts'

test('every column that refuses clear text is declared as sealed by its room, and every declared column refuses it', async () => {
  const { pool } = await testDatabase()
  const { rows } = await pool.query<{ column: string }>(
    `select table_name || '.' || column_name as column
     from information_schema.columns
     where table_schema = 'public' and domain_name = 'sealed_text' and table_name <> 'vault_keys'
     order by 1`,
  )
  const declared = modules.flatMap(({ sealed = [] }) =>
    sealed.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`)),
  )
  expect(rows.map(({ column }) => column)).toEqual(declared.sort())
})
