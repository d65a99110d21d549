// A Yardmaster that is nothing but its home and its database: prints the connection and the server's pid as one line of
// JSON, and stays until it is killed or told to `exit` without stopping anything.
import { createInterface } from 'node:readline'
import { startEmbeddedPostgres } from '../../../dist/platform/db/embedded/embedded-postgres.js'
import { openHome } from '../../../dist/platform/home/home.js'

// Ctrl-C is answered by a drain in the real program; here it is enough not to die of it.
process.on('SIGINT', () => undefined)
const home = await openHome(process.argv[2])
const log = { info: () => undefined, warn: () => undefined }
const server = await startEmbeddedPostgres({ home: home.path, log })
process.stdout.write(`${JSON.stringify({ connection: server.connection, serverPid: server.pid() })}\n`)
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'exit') process.exit(0)
}
