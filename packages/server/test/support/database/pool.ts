import pg from 'pg'

/** A pool for a test's own queries. Ignores connection errors, because some tests stop the server on purpose. */
export function openPool(connectionString: string, max = 4): pg.Pool {
  const pool = new pg.Pool({ connectionString, max })
  pool.on('connect', (client) => client.on('error', () => undefined))
  pool.on('error', () => undefined)
  return pool
}
