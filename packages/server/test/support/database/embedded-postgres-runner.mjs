// Opens a home and starts its embedded database, without the rest of Yardmaster. Prints the connection and the server's
// pid as one line of JSON. Runs until it is killed or reads the line `exit`; it never stops the database.
import { createInterface } from 'node:readline'
import { startEmbeddedPostgres } from '../../../dist/platform/db/embedded/embedded-postgres.js'
import { openHome } from '../../../dist/platform/home/home.js'

// The real program drains on SIGINT. Here it must only survive the signal.
process.on('SIGINT', () => undefined)
const home = await openHome(process.argv[2])
const log = { info: () => undefined, warn: () => undefined }
const [, , , grace] = process.argv
const server = await startEmbeddedPostgres({
  home: home.path,
  log,
  ...(grace !== undefined && { orphanGraceSeconds: Number(grace) }),
})
process.stdout.write(`${JSON.stringify({ connection: server.connection, serverPid: server.pid() })}\n`)
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'exit') process.exit(0)
}
