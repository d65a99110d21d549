import type { App } from '../../../src/domain/app.ts'
import { fireDueSchedules } from '../../../src/domain/fires/fire-due-schedules.ts'
import { fireSessionEvent, watchSessions } from '../../../src/domain/watches/session-events.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import type { Subscription } from '../../../src/platform/events/subscription.ts'
import type { JobHandler } from '../../../src/platform/jobs/job.ts'
import type { TestApp } from '../app/app.ts'

/** Does the work of a worker when a test asks for it, on a host that only serves HTTP. */
export type ByHand = {
  /** Looks at the schedules, as the host's timer does. */
  tick(): Promise<void>
  /** Handles what has happened to sessions since the last call, and runs the jobs that are due. */
  work(): Promise<void>
  /** How many seconds each waiting job waits in all. */
  waiting(): Promise<number[]>
  /** As if so many seconds had passed for every job that waits. */
  pass(seconds: number): Promise<void>
}

type Work = { subscription: Subscription<App>; handlers: readonly JobHandler<App>[] }

const triggerWork: Work = { subscription: watchSessions, handlers: [fireSessionEvent] }

export function byHand(app: TestApp, { subscription, handlers }: Work = triggerWork): ByHand {
  let position = 0
  const signal = new AbortController().signal

  const handleEvents = async (): Promise<void> => {
    const { events, db } = app.host.app
    await events.lastPosition() // gives every committed event its position
    for (const event of await events.read({ position }, 1000)) {
      position = event.position
      if (subscription.kinds.some(({ name }) => name === event.name))
        await transact(db, (tx) => subscription.handle(app.host.app, tx, event))
    }
  }
  const runJobs = async (): Promise<number> => {
    const { rows } = await app.pool.query<{ id: string; name: string; payload: unknown }>(
      `delete from graphile_worker._private_jobs as jobs
       using graphile_worker._private_tasks as tasks
       where tasks.id = jobs.task_id
         and tasks.identifier = any($1)
         and jobs.run_at <= now()
       returning jobs.id, tasks.identifier as name, jobs.payload`,
      [handlers.map(({ job }) => job.name)],
    )
    await Promise.all(
      rows.map(({ name, payload }) => handlers.find(({ job }) => job.name === name)?.perform(payload, app.host.app)),
    )
    return rows.length
  }
  const selectWaiting = `
    from graphile_worker._private_jobs as jobs
    join graphile_worker._private_tasks as tasks on tasks.id = jobs.task_id
    where tasks.identifier = any($1)
  `
  return {
    tick: async () => {
      await fireDueSchedules(app.host.app, signal)
    },
    work: async () => {
      do await handleEvents()
      while ((await runJobs()) > 0)
    },
    waiting: async () => {
      const { rows } = await app.pool.query<{ seconds: number }>(
        `select extract(epoch from jobs.run_at - jobs.created_at)::float as seconds ${selectWaiting}`,
        [handlers.map(({ job }) => job.name)],
      )
      return rows.map(({ seconds }) => Math.round(seconds))
    },
    pass: async (seconds) => {
      await app.pool.query(
        `update graphile_worker._private_jobs
         set run_at = run_at - make_interval(secs => $2)
         where id in (select jobs.id ${selectWaiting})`,
        [handlers.map(({ job }) => job.name), seconds],
      )
    },
  }
}
