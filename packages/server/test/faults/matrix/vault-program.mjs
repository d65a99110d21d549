// `vault-program.mjs rotate|open FOLDER URL`: does with the vault of a home what a command or a starting host does.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openDatabase, openPool } from '../../../dist/platform/db/database.js'
import { rotateKey } from '../../../dist/platform/vault/rotate-key.js'
import { openVault } from '../../../dist/platform/vault/vault.js'

const sealedTable = { table: 'logins', id: 'name', columns: ['token'] }

const [, , verb, folder, url] = process.argv
const home = { in: (name) => join(folder, name) }
const log = { warn: () => undefined }
const db = openDatabase(openPool({ connectionString: url }, { max: 2, log, name: verb }))
try {
  if (verb === 'rotate') {
    const onStep = (sentence) => process.stdout.write(`${sentence}\n`)
    await rotateKey({ given: undefined, home, db, tables: [sealedTable], onStep })
  } else {
    process.stdout.write('opening\n')
    const vault = await openVault({ given: undefined, home, db })
    const id = randomUUID()
    const sealed = vault.seal({ table: 'logins', column: 'token', id }, `token of ${id}`)
    await sql`insert into logins (name, token) values (${id}, ${sealed})`.execute(db)
  }
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
} finally {
  await db.destroy()
}
