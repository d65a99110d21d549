import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openPool } from '../../../server/test/support/database/pool.ts'

/** The server's own database, by the socket that its process names. */
export async function databaseOf(home: string) {
  const [, , , , socket = ''] = (await readFile(join(home, 'postgres/data/postmaster.pid'), 'utf8')).split('\n')
  const password = (await readFile(join(home, 'postgres/password'), 'utf8')).trim()
  const pool = openPool(`postgres://yardmaster:${password}@/yardmaster?host=${encodeURIComponent(socket)}`, 1)
  onTestFinished(() => pool.end())
  return pool
}
