import { readdir, rm } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { Cli, CliStatus } from '@yardmaster/contract/cli'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { transact } from '../../platform/db/transact.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import type { Job } from '../../platform/jobs/job.ts'
import { errnoOf } from '../../platform/process/errno.ts'
import type { AgentCli } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { findLiveHosts } from '../inbox/inbox.ts'
import { describe, lookAtCli } from './check-cli.ts'
import { selectReport, upsertReport } from './report-store.ts'

/** The face of the room: the programs of the agents, as they are on the hosts that run turns. */
export async function cliStatus(app: App): Promise<CliStatus> {
  const report = await selectReport(app.db, app.home.hostId)
  if (!report) return notLookedYet(app)
  const lacking = Object.values(report.tools).filter(({ authenticated }) => !authenticated)
  return {
    tools: report.tools,
    all_authenticated: lacking.length === 0,
    unauthenticated_count: lacking.length,
    generated_at: formatTimestamp(report.checked_at),
    host: report.host_id,
  }
}

function notLookedYet(app: App): CliStatus {
  const unknown = { installed: null, authenticated: null, version: null, error: null, loading: true as const }
  const tools = Object.fromEntries(clisOf(app).map(([key, cli]) => [key, { ...describe(cli), ...unknown }]))
  return { tools, all_authenticated: false, unauthenticated_count: 0, generated_at: null, host: null, loading: true }
}

export async function lookAtClis(app: App): Promise<void> {
  const tools: Record<string, Cli> = {}
  for (const [key, cli] of clisOf(app)) tools[key] = await lookAtCli(app, cli)
  await upsertReport(app.db, app.home.hostId, tools)
}

function clisOf(app: App): [string, AgentCli][] {
  return app.runtimes.names().flatMap((name): [string, AgentCli][] => {
    const cli = app.runtimes.find(name)?.cli
    return cli ? [[name, cli]] : []
  })
}

/** Every host that runs turns does the work on its own disk. */
export async function askEveryHost(app: App, job: Job<Record<string, never>>): Promise<void> {
  await transact(app.db, async (tx) => {
    for (const hostId of await findLiveHosts(tx)) {
      await enqueue(tx, job, {}, { hostId, key: `${job.name}@${hostId}` })
    }
  })
}

/** What package runners kept for MCP servers, in the home of each session; the next start fetches them anew. */
export async function clearPackageCaches(app: App): Promise<void> {
  const homes = app.home.in('runtimes')
  const sessions = await readdir(homes).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return []
    throw error
  })
  for (const session of sessions) {
    for (const cache of ['.npm', '.cache']) {
      await rm(app.home.in('runtimes', session, cache), { recursive: true, force: true })
    }
  }
}

const lookEveryMs = 120_000

export function keepLooking(app: App): void {
  app.background.run("the look at the agents' programs", async (signal) => {
    while (!signal.aborted) {
      await lookAtClis(app).catch((error: unknown) =>
        app.log.debug({ reason: String(error) }, "the agents' programs could not be looked at now"),
      )
      await wait(lookEveryMs, undefined, { signal }).catch(() => undefined)
    }
  })
}
