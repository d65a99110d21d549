import { sampleRepository } from '../packages/server/dist/app/sample-repository.js'
import { followUp } from '../packages/server/dist/domain/conversation/follow-up.js'
import { startBenchHost } from './support/host.mjs'
import { createSession, median } from './support/sessions.mjs'

/**
 * 500 who speak to one busy session at once, each heard and answered, against the least a database can do to keep them
 * in order: 500 transactions that lock the session's row and insert the next position, through the same pool.
 */
const target = 0.25
const rounds = 5
const count = 500

const { host, stop } = await startBenchHost()
const { db } = host.app
try {
  await sampleRepository(host.app.home)
  const id = await createSession(host, 'sleep 600')
  await atWork(id)
  const ratios = []
  const seconds = []
  for (let round = 0; round < rounds; round += 1) {
    const bare = await slowest(() => bareFollowUp(id))
    await forget(id)
    const ours = await slowest(() =>
      followUp(host.app, { id }, { prompt: 'say hello', goal: null, isImmediate: false }),
    )
    await forget(id)
    ratios.push(ours / bare)
    seconds.push(ours / 1000)
  }
  const ratio = median(ratios)
  console.log(
    `500 follow-ups at once to one session: the 99th of a hundred is answered after ${ratio.toFixed(2)} of the time of bare transactions (target: at most ${target}; ${median(seconds).toFixed(2)} s)`,
  )
  if (ratio > target) process.exitCode = 1
} finally {
  await stop()
}

/** How long all but the slowest hundredth wait for their answer, in ms. */
async function slowest(say) {
  const waits = await Promise.all(
    Array.from({ length: count }, async () => {
      const started = performance.now()
      await say()
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

async function forget(id) {
  await db.deleteFrom('enqueued_messages').where('session_id', '=', id).execute()
}

async function atWork(id) {
  for (;;) {
    const { status } = await db.selectFrom('sessions').select('status').where('id', '=', id).executeTakeFirstOrThrow()
    if (status === 'running') return
  }
}
