import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { openVault } from '../../../src/platform/vault/vault.ts'
import { watchSealed } from '../../../src/platform/vault/watch-sealed.ts'
import { testMasterKey } from '../../support/app/app.ts'
import { testDatabase } from '../../support/database/database.ts'
import { openTestDatabase } from '../../support/jobs/job-host.ts'
import { recordedLog } from '../../support/log/recorded-log.ts'

const tables = [{ table: 'logins', id: 'name', columns: ['access', 'refresh'] }]

test('a host that starts knows every stored credential, in slices, also beside one that cannot be opened', async () => {
  const { url } = await testDatabase()
  const { db } = openTestDatabase(url, 2)
  const openOnHost = () => openVault({ given: testMasterKey, home: { in: (name) => name }, db })
  const writer = await openOnHost()
  await sql`create table logins (name text primary key, access sealed_text, refresh sealed_text)`.execute(db)
  const names = Array.from({ length: 999 }, (_, index) => `login ${index}`)
  const sealed = names.map((id) => writer.seal({ table: 'logins', column: 'access', id }, `secret of ${id}`))
  await sql`insert into logins (name, access) select * from unnest(${names}::text[], ${sealed}::text[])`.execute(db)
  await sql`update logins set refresh = access where name = 'login 5'`.execute(db)

  const { log, records } = recordedLog()
  const vault = await openOnHost()
  const watching = await watchSealed({ vault, db, tables, log })
  onTestFinished(watching.close)

  const known = vault.known().filter(({ label }) => label === 'CREDENTIAL:logins')
  expect(new Set(known.map(({ value }) => value))).toEqual(new Set(names.map((name) => `secret of ${name}`)))
  expect(records()).toMatchObject([{ msg: 'a sealed value cannot be opened', column: 'refresh', id: 'login 5' }])
})
