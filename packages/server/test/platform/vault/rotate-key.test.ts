import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase, openPool } from '../../../src/platform/db/database.ts'
import { forgetSealed } from '../../../src/platform/vault/forget-sealed.ts'
import { rotateKey } from '../../../src/platform/vault/rotate-key.ts'
import { openVault } from '../../../src/platform/vault/vault.ts'
import { testMasterKey } from '../../support/app/app.ts'
import { testDatabase } from '../../support/database/database.ts'
import { openTestDatabase } from '../../support/jobs/job-host.ts'
import { silentLog } from '../../support/log/silent-log.ts'

const tables = [{ table: 'logins', id: 'name', columns: ['access', 'refresh'] }]
const names = ['one', 'two', 'three']

/** A database with credentials in it, and the home with the key that seals them. */
async function sealedDatabase(given?: string) {
  const { url } = await testDatabase()
  const { db } = openTestDatabase(url, 2)
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-vault-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const home = { in: (name: string) => join(folder, name) }
  const vault = await openVault({ given, home, db })
  await sql`create table logins (name text primary key, access sealed_text, refresh sealed_text)`.execute(db)
  const store = async (name: string): Promise<void> => {
    const sealed = vault.seal({ table: 'logins', column: 'access', id: name }, `secret of ${name}`)
    await sql`insert into logins (name, access) values (${name}, ${sealed})`.execute(db)
  }
  for (const name of names) await store(name)
  const opened = async (by = given): Promise<string[]> => {
    const now = await openVault({ given: by, home, db })
    const { rows } = await sql<{ name: string; access: string }>`select name, access from logins`.execute(db)
    return rows.map(({ name, access }) => now.open({ table: 'logins', column: 'access', id: name }, access)).sort()
  }
  const keysUsed = async (): Promise<string[]> => {
    const { rows } = await sql<{ id: string }>`
      select distinct split_part(access, '.', 2) as id from logins union select id from vault_keys
    `.execute(db)
    return rows.map(({ id }) => id)
  }
  const file = () => readFile(home.in('master-key'), 'utf8')
  return { url, db, home, opened, keysUsed, file }
}

const secrets = names.map((name) => `secret of ${name}`).sort()

test('every credential is sealed by a new key, and the old key is in neither the home nor the database', async () => {
  const { db, home, opened, keysUsed, file } = await sealedDatabase()
  const [before, oldFile] = [await keysUsed(), await file()]
  const { id, values } = await rotateKey({ given: undefined, home, db, tables })
  expect(values).toBe(3)
  expect(await keysUsed()).toEqual([id])
  expect(before).not.toContain(id)
  expect((await file()).trim().split('\n')).toHaveLength(1)
  expect(await file()).not.toBe(oldFile)
  expect(await opened()).toEqual(secrets)
})

test('a rotation that is interrupted before any of its steps leaves a database that opens, and the next run completes it', async () => {
  const { db, home, opened, keysUsed } = await sealedDatabase()
  const steps: string[] = []
  await rotateKey({ given: undefined, home, db, tables, onStep: (step) => steps.push(step) })
  expect(steps.length).toBeGreaterThan(4)
  for (const last of steps.keys()) {
    let step = 0
    const interrupted = rotateKey({
      given: undefined,
      home,
      db,
      tables,
      onStep: () => {
        if (step++ === last) throw new Error('killed')
      },
    })
    await expect(interrupted).rejects.toThrow('killed')
    expect(await opened()).toEqual(secrets)
    const { id } = await rotateKey({ given: undefined, home, db, tables })
    expect(await keysUsed()).toEqual([id])
    expect(await opened()).toEqual(secrets)
  }
})

test('a key of the environment is rotated when the new one stands before it, and alone it is refused with what to do', async () => {
  const { db, home, opened, keysUsed } = await sealedDatabase(testMasterKey)
  await expect(rotateKey({ given: testMasterKey, home, db, tables })).rejects.toThrow(
    /^The key is in YARDMASTER_MASTER_KEY, which this command cannot change\./,
  )
  const newKey = Buffer.alloc(32, 9).toString('hex')
  const { id } = await rotateKey({ given: `${newKey},${testMasterKey}`, home, db, tables })
  expect(await keysUsed()).toEqual([id])
  expect(await opened(newKey)).toEqual(secrets)
  await expect(opened(testMasterKey)).rejects.toThrow('a key that this host does not have')
})

test('a rotation is refused while a host is connected to the database, and changes no row', async () => {
  const { url, db, home, keysUsed, opened } = await sealedDatabase()
  const before = await keysUsed()
  const host = openDatabase(openPool({ connectionString: url }, { max: 1, log: silentLog, name: 'requests' }))
  await sql`select 1`.execute(host)
  await expect(rotateKey({ given: undefined, home, db, tables })).rejects.toThrow(
    'Yardmaster runs on this database. Stop it on every host, and run this again.',
  )
  expect(await keysUsed()).toEqual(before)
  await host.destroy()
  expect(await opened()).toEqual(secrets)
})

test('a rotation right after the host was stopped waits until its connections are gone', async () => {
  const { url, db, home, keysUsed, opened } = await sealedDatabase()
  const host = openDatabase(openPool({ connectionString: url }, { max: 1, log: silentLog, name: 'requests' }))
  await sql`select 1`.execute(host)
  const [{ id }] = await Promise.all([
    rotateKey({ given: undefined, home, db, tables }),
    sleep(300).then(() => host.destroy()),
  ])
  expect(await keysUsed()).toEqual([id])
  expect(await opened()).toEqual(secrets)
})

test('a rotation on a database without a key says that there is none', async () => {
  const { url } = await testDatabase()
  const { db } = openTestDatabase(url, 2)
  await expect(rotateKey({ given: testMasterKey, home: { in: (name) => name }, db, tables })).rejects.toThrow(
    'There is no key to rotate: Yardmaster was not started on this database yet.',
  )
})

test('after the key is lost, what it sealed is deleted, other rows stay, and the next start makes a key', async () => {
  const { db, home, keysUsed, opened } = await sealedDatabase()
  const before = await keysUsed()
  await sql`insert into logins (name) values ('without a secret')`.execute(db)
  await rm(home.in('master-key'))
  await expect(opened()).rejects.toThrow('npm run rotate-key -- --forget-credentials')
  expect(await forgetSealed({ given: undefined, home, db, tables })).toBe(3)
  const { rows } = await sql`select name from logins`.execute(db)
  expect(rows).toEqual([{ name: 'without a secret' }])
  await openVault({ given: undefined, home, db })
  expect((await keysUsed()).filter((id) => before.includes(id))).toEqual([])
})

test('nothing is deleted while the host has the key, while a host is connected, or by a file that holds no key', async () => {
  const { url, db, home, opened } = await sealedDatabase()
  const options = { given: undefined, home, db, tables }
  await expect(forgetSealed(options)).rejects.toThrow('No key is lost')
  await expect(forgetSealed({ ...options, given: await readFile(home.in('master-key'), 'utf8') })).rejects.toThrow(
    'No key is lost',
  )
  const host = openDatabase(openPool({ connectionString: url }, { max: 1, log: silentLog, name: 'requests' }))
  await sql`select 1`.execute(host)
  await expect(forgetSealed({ ...options, given: testMasterKey })).rejects.toThrow('Yardmaster runs on this database.')
  await host.destroy()
  const kept = await readFile(home.in('master-key'))
  await writeFile(home.in('master-key'), 'half a ke')
  await expect(forgetSealed(options)).rejects.toThrow('holds no key of 32 bytes')
  await writeFile(home.in('master-key'), kept)
  expect(await opened()).toEqual(secrets)
})
