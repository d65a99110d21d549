import { sampleRepository } from '../packages/server/dist/app/sample-repository.js'
import { startBenchHost } from './support/host.mjs'
import { atRest, createSession } from './support/sessions.mjs'

/** Fifty concurrent sessions: all finish, and the server's memory stays within its target. */
const target = { megabytes: 300 }
const count = 50

const { host, stop } = await startBenchHost()
try {
  await sampleRepository(host.app.home)
  await host.app.db.updateTable('settings').set({ spot_gating_enabled: false }).execute()
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 50)
  const ids = await Promise.all(
    Array.from({ length: count }, (_, n) => createSession(host, `say ${n}\nsleep 2\nrun ls`)),
  )
  const statuses = await Promise.all(ids.map((id) => atRest(host, id)))
  clearInterval(watch)
  const finished = statuses.filter((status) => status === 'needs_input').length
  const megabytes = peak / 1024 / 1024
  console.log(
    `${finished} of ${count} concurrent sessions finished; the server used ${megabytes.toFixed(0)} MB (target: all, at most ${target.megabytes} MB)`,
  )
  if (finished < count || megabytes > target.megabytes) process.exitCode = 1
} finally {
  await stop()
}
