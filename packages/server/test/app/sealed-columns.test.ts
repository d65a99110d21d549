import { expect, test } from 'vitest'
import { modules } from '../../src/app/modules.ts'
import { forgetSealed } from '../../src/platform/vault/forget-sealed.ts'
import { openVault } from '../../src/platform/vault/vault.ts'
import { testMasterKey } from '../support/app/app.ts'
import { testDatabase } from '../support/database/database.ts'
import { openTestDatabase } from '../support/jobs/job-host.ts'

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

test('what a lost key sealed can be deleted from every table, with what belongs to it', async () => {
  const { url, pool } = await testDatabase()
  const { db } = openTestDatabase(url, 2)
  const home = { in: (name: string) => name }
  const vault = await openVault({ given: testMasterKey, home, db })
  const login = vault.seal({ table: 'accounts', column: 'login', id: '1' }, 'a login')
  await pool.query(`insert into accounts (runtime, email, login) values ('runtime_alpha', 'a@example.com', $1)`, [
    login,
  ])
  await pool.query(`insert into account_uses (run_marker, account_id, session_id) select 'run', id, 1 from accounts`)
  const tables = modules.flatMap(({ sealed = [] }) => sealed)
  expect(await forgetSealed({ given: Buffer.alloc(32, 9).toString('hex'), home, db, tables })).toBe(1)
  const { rows } = await pool.query('select from accounts union all select from account_uses')
  expect(rows).toEqual([])
})
