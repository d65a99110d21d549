// A host with one subscription, whose handler writes a row in its transaction and then blocks. Runs the built server in a
// process of its own, so that a test can kill it in the middle of an event.
import { sql } from 'kysely'
import { pino } from 'pino'
import { z } from 'zod'
import { openDatabase, openPool } from '../../../dist/platform/db/database.js'
import { defineEvent } from '../../../dist/platform/events/event.js'
import { openEvents } from '../../../dist/platform/events/events.js'
import { openPostgresSignals } from '../../../dist/platform/events/postgres-signals.js'
import { asPeriodic, openSubscription } from '../../../dist/platform/events/run-subscription.js'
import { subscribing } from '../../../dist/platform/events/subscription.js'
import { startPeriodic } from '../../../dist/platform/jobs/start-periodic.js'
import { watchPauses } from '../../../dist/platform/jobs/watch-pauses.js'
import { openMetrics } from '../../../dist/platform/metrics.js'

const connectionString = process.argv[2] ?? ''
const log = pino({ level: 'silent' })
const pool = openPool({ connectionString }, { max: 4, log, name: 'runner' })
const db = openDatabase(pool)
const signals = await openPostgresSignals({ connection: { connectionString }, pool, log })
const events = await openEvents({ db, signals, log })
const paused = await watchPauses({ db, log })
const host = { app: undefined, db, events, paused, hostId: 'runner', metrics: openMetrics(), log, redact: String }

const subscription = subscribing()({
  name: 'words',
  queue: 'default',
  startsAt: 'now',
  to: [defineEvent({ name: 'word.published', payload: z.object({ word: z.string() }) })],
  handle: async (_app, tx, { payload }) => {
    await sql`insert into handled_words (word, host) values (${payload.word}, 'runner')`.execute(tx)
    process.stdout.write(`handling ${payload.word}\n`)
    await new Promise(() => undefined)
  },
})
await openSubscription(host, subscription)
await startPeriodic({ ...host, entries: [asPeriodic(subscription, host)] })
process.stdout.write('up\n')
