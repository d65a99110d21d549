import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openVault } from '../../../src/platform/vault/vault.ts'
import { testDatabase } from '../../support/database/database.ts'
import { openTestDatabase } from '../../support/jobs/job-host.ts'

const one = Buffer.alloc(32, 1)
const place = { table: 'tokens', column: 'secret', id: '7' }

let database: Awaited<ReturnType<typeof testDatabase>>

beforeEach(async () => {
  database = await testDatabase()
})

async function newHome() {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-vault-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return { in: (name: string) => join(folder, name) }
}

async function open({ given, home }: { given?: string; home?: Awaited<ReturnType<typeof newHome>> } = {}) {
  const { db } = openTestDatabase(database.url, 2)
  return openVault({ given, home: home ?? (await newHome()), db })
}

test('a column of the type sealed_text refuses clear text', async () => {
  const { pool } = database
  await pool.query('create table tokens (secret sealed_text)')
  await expect(pool.query("insert into tokens values ('a token')")).rejects.toThrow('sealed_text_check')
  const sealed = (await open()).seal(place, 'a token')
  await pool.query('insert into tokens values ($1), (null)', [sealed])
})

describe('the key', () => {
  test('is made by the first start, readable by its owner only, and found by the next start', async () => {
    const home = await newHome()
    const sealed = (await open({ home })).seal(place, 'a token')
    const file = home.in('master-key')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const key = (await readFile(file, 'utf8')).trim()
    expect(Buffer.from(key, 'base64url')).toHaveLength(32)
    expect((await open({ home })).open(place, sealed)).toBe('a token')
    expect(JSON.stringify((await database.pool.query('select * from vault_keys')).rows)).not.toContain(key)
  })

  test.each([
    ['base64', one.toString('base64')],
    ['base64url', one.toString('base64url')],
    ['hex', one.toString('hex')],
  ])('of the environment is taken in %s, and no file is written', async (_about, given) => {
    const home = await newHome()
    const sealed = (await open({ given, home })).seal(place, 'a token')
    expect((await open({ given: one.toString('hex') })).open(place, sealed)).toBe('a token')
    await expect(stat(home.in('master-key'))).rejects.toThrow('ENOENT')
  })

  const refusal =
    /^The credentials in this database are sealed by a key that this host does not have \([0-9a-f]{16}\)\. Copy the file master-key .* or set YARDMASTER_MASTER_KEY .*\. If the key is lost: npm run rotate-key -- --forget-credentials$/
  const refusalOfGiven =
    /does not have \([0-9a-f]{16}\)\. Set YARDMASTER_MASTER_KEY .*, or unset it .*\. If the key is lost: /

  test('that is missing or wrong stops the start, and the refusal says what to do', async () => {
    await open()
    await expect(open()).rejects.toThrow(refusal)
    await expect(open({ given: one.toString('hex') })).rejects.toThrow(refusalOfGiven)
    const home = await newHome()
    await writeFile(home.in('master-key'), one.toString('hex'))
    await expect(open({ home })).rejects.toThrow(refusal)
    expect((await database.pool.query('select id from vault_keys')).rows).toHaveLength(1)
  })

  test('file without a key in it stops the start with a sentence that does not repeat it', async () => {
    const home = await newHome()
    await writeFile(home.in('master-key'), 'not a key')
    await expect(open({ home })).rejects.toThrow(/^The file \S+master-key holds no key of 32 bytes\. [^.]*\.$/)
  })

  test('is made once when two hosts with homes of their own start at once on an empty database', async () => {
    const homes = await Promise.all([newHome(), newHome()])
    const starts = await Promise.allSettled(homes.map((home) => open({ home })))
    expect(starts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const files = await Promise.allSettled(homes.map((home) => stat(home.in('master-key'))))
    expect(files.map(({ status }) => status)).toEqual(starts.map(({ status }) => status))
  })

  test('whose row was not written because the host was killed is taken from its file by the next start', async () => {
    const home = await newHome()
    await writeFile(home.in('master-key'), one.toString('base64url'))
    await open({ home })
    await open({ given: one.toString('hex') })
  })

  test('is known to the redactor in its spellings, and printed by no inspection of the vault', async () => {
    const vault = await open({ given: one.toString('base64') })
    const values = vault.known().map(({ value }) => value)
    const printed = inspect(vault, { depth: 9, showHidden: true })
    for (const encoding of ['base64url', 'hex'] as const) {
      expect(values).toContain(one.toString(encoding))
      expect(printed).not.toContain(one.toString(encoding))
    }
  })
})

describe('the known values', () => {
  test('are those that were sealed or opened, by table, and the tokens inside of a login file', async () => {
    const home = await newHome()
    const vault = await open({ home })
    const login = JSON.stringify({ tokens: { access: 'access-token-1234567' }, url: 'https://vendor.test/a/long/path' })
    const sealed = vault.seal(place, login)
    const another = await open({ home })
    expect(another.known().some(({ label }) => label.startsWith('CREDENTIAL'))).toBe(false)
    another.open(place, sealed)
    for (const each of [vault, another]) {
      const values = each.known().filter(({ label }) => label === 'CREDENTIAL:tokens')
      expect(values.map(({ value }) => value)).toEqual([login, 'access-token-1234567'])
    }
    expect(another.known()).toBe(another.known())
  })

  test('are at most a thousand: the one that was met longest ago is forgotten', async () => {
    const vault = await open()
    const kept = vault.seal(place, 'token number 0')
    for (let index = 1; index < 1000; index++) vault.seal(place, `token number ${index}`)
    vault.open(place, kept)
    vault.seal(place, 'token number 1000')
    const values = vault.known().filter(({ label }) => label === 'CREDENTIAL:tokens')
    expect(values).toHaveLength(1000)
    expect(values.map(({ value }) => value)).toEqual(expect.arrayContaining(['token number 0', 'token number 1000']))
    expect(values.map(({ value }) => value)).not.toContain('token number 1')
    expect(vault.isFull()).toBe(true)
  })
})
