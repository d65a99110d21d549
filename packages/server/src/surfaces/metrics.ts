import * as contract from '@yardmaster/contract/metrics/endpoints'
import { sql } from 'kysely'
import { type App, bind, type Room } from '../domain/app.ts'
import { hasMetadata } from '../domain/sessions/session.ts'
import { ok } from '../platform/http/answer.ts'

const readMetrics = bind(contract.showMetrics, async (_request, app) => ok(await app.metrics.registry.metrics()))

export const metrics: Room = { name: 'metrics', endpoints: [readMetrics] }

/** Registers the metrics: counts from the database, equal on every host, and counts of this process. */
export function registerMetrics(app: App): void {
  app.metrics.registerGauge({
    name: 'yardmaster_turns',
    help: 'Turns that have not ended, by state; held turns wait for a free slot.',
    label: 'state',
    read: () => countTurns(app),
  })
  app.metrics.registerGauge({
    name: 'yardmaster_jobs_waiting',
    help: 'Queued jobs, by class.',
    label: 'job',
    read: () => countJobs(app),
  })
  app.metrics.registerGauge({
    name: 'yardmaster_redactions',
    help: 'Secrets that this host redacted since it started, by label.',
    label: 'label',
    read: async () => app.redactor.counts(),
  })
  app.metrics.registerGauge({
    name: 'yardmaster_agent_confinement',
    help: 'Whether this host confines agents, by mode and mechanism.',
    label: 'in_force',
    read: async () => confinementInForce(app),
  })
}

/** One row with the mode of AGENT_CONFINEMENT and what keeps it, such as `auto by namespaces`: 1 if agents are confined. */
function confinementInForce({ confinement: { mode, mechanism } }: App): Map<string, number> {
  return new Map([[`${mode} by ${mechanism}`, mechanism === 'none' ? 0 : 1]])
}

async function countTurns({ db }: App): Promise<Map<string, number>> {
  const { rows } = await sql<{ state: string; count: number }>`
    select
      case when turns.state = 'queued' and ${hasMetadata('spot_hold_at')} then 'held' else turns.state end as state,
      count(*) as count
    from turns
    join sessions on sessions.id = turns.session_id
    where turns.state <> 'ended'
    group by 1
  `.execute(db)
  return new Map(rows.map(({ state, count }) => [state, count]))
}

async function countJobs({ db }: App): Promise<Map<string, number>> {
  const { rows } = await sql<{ job: string; count: number }>`
    select split_part(task_identifier, '@', 1) as job, count(*) as count
    from graphile_worker.jobs
    where locked_at is null
    group by 1
  `.execute(db)
  return new Map(rows.map(({ job, count }) => [job, count]))
}
