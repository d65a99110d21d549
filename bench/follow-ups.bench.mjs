import { sampleRepository } from '../packages/server/dist/app/sample-repository.js'
import { followUp } from '../packages/server/dist/domain/conversation/follow-up.js'
import { startBenchHost } from './support/host.mjs'
import { createSession, median } from './support/sessions.mjs'

/**
 * 500 concurrent follow-ups to one busy session, compared with the least a database can do to keep them in order: 500
 * transactions that lock the session's row and insert the next position, through the same pool.
 */
const target = 0.25
const rounds = 5
const count = 500

const { host, stop } = await startBenchHost()
const { db } = host.app
try {
  await sampleRepository(host.app.home)
  const id = await createSession(host, 'sleep 600')
  await untilRunning(id)
  const ratios = []
  const seconds = []
  for (let round = 0; round < rounds; round += 1) {
    const bare = await p99(() => bareFollowUp(id))
    await deleteMessages(id)
    const ours = await p99(() =>
      followUp(host.app, { id }, { prompt: 'say hello', goal: null, isImmediate: false, isByPerson: true }),
    )
    await deleteMessages(id)
    ratios.push(ours / bare)
    seconds.push(ours / 1000)
  }
  const ratio = median(ratios)
  console.log(
    `500 concurrent follow-ups to one session: p99 is ${ratio.toFixed(2)} of that of bare transactions (target: at most ${target}; ${median(seconds).toFixed(2)} s)`,
  )
  if (ratio > target) process.exitCode = 1
} finally {
  await stop()
}

/** The 99th percentile of the time to an answer, in ms. */
async function p99(send) {
  const waits = await Promise.all(
    Array.from({ length: count }, async () => {
      const started = performance.now()
      await send()
      return performance.now() - started
    }),
  )
  return waits.sort((a, b) => a - b)[Math.ceil(count * 0.99) - 1]
}

function bareFollowUp(id) {
  return db.transaction().execute(async (tx) => {
    await tx.selectFrom('sessions').select('id').where('id', '=', id).forUpdate().execute()
    const pending = tx.selectFrom('enqueued_messages').where('session_id', '=', id).where('status', '=', 'pending')
    await tx
      .insertInto('enqueued_messages')
      .values(({ eb }) => ({
        session_id: id,
        content: 'say hello',
        position: eb(
          pending.select(({ fn }) => fn.countAll().as('count')),
          '+',
          1,
        ),
      }))
      .returningAll()
      .execute()
  })
}

async function deleteMessages(id) {
  await db.deleteFrom('enqueued_messages').where('session_id', '=', id).execute()
}

async function untilRunning(id) {
  for (;;) {
    const { status } = await db.selectFrom('sessions').select('status').where('id', '=', id).executeTakeFirstOrThrow()
    if (status === 'running') return
  }
}
