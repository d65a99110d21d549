import pg from 'pg'

/** A pool to look into a database. That the other side goes away is what some tests are about: it ends none of them. */
export function openPool(connectionString: string, max = 4): pg.Pool {
  const pool = new pg.Pool({ connectionString, max })
  pool.on('connect', (client) => client.on('error', () => undefined))
  pool.on('error', () => undefined)
  return pool
}
