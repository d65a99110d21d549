import { sql } from 'kysely'
import { ask, inTurn } from './support/compare.mjs'
import { startBenchHost } from './support/host.mjs'
import { seedTranscript } from './support/transcript.mjs'

/** Reading a page of a transcript: its cost does not depend on the length of the transcript, nor on the place of the page. */
const target = 1.5
const lengths = { short: 200, long: 10_000 }
const rounds = 41
const warmUps = 15

const { host, stop } = await startBenchHost()
try {
  const short = await seedTranscript(host, lengths.short)
  const long = await seedTranscript(host, lengths.long)
  await sql`vacuum analyze`.execute(host.app.db)
  await compare('The last page of 10,000 entries', `${long}/entries`, `${short}/entries`)
  await compare('A page in the middle of 10,000 entries', `${long}/entries?around=5000`, `${short}/entries`)
  await compare('The turns of 10,000 entries', `${long}/turns`, `${short}/turns`)
} finally {
  await stop()
}

async function compare(what, path, basePath) {
  const read = (below) => () => ask(host, `/sessions/${below}`)
  const { ratio, other } = await inTurn(read(basePath), read(path), { rounds, warmUps })
  console.log(
    `${what} takes ${ratio.toFixed(2)} times what it takes of 200 entries: ${other.toFixed(1)} ms (target: at most ${target} times)`,
  )
  if (ratio > target) process.exitCode = 1
}
