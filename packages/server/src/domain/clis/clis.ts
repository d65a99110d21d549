import { readdir, rm } from 'node:fs/promises'
import type { Cli, CliStatus } from '@yardmaster/contract/clis/fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { transact } from '../../platform/db/transact.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import type { Job } from '../../platform/jobs/job.ts'
import { errnoOf } from '../../platform/process/errno.ts'
import type { AgentCli } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { findLiveHosts } from '../hosts/hosts.ts'
import { checkCli, describe } from './check-cli.ts'
import { selectReport, upsertReport } from './report-store.ts'

/** The face of the room: the agents' CLIs as they are installed on the hosts that run turns. */
export async function cliStatus(app: App): Promise<CliStatus> {
  const report = await selectReport(app.db, app.home.hostId)
  if (!report) return notCheckedYet(app)
  const unauthenticated = Object.values(report.tools).filter(({ authenticated }) => !authenticated)
  return {
    tools: report.tools,
    all_authenticated: unauthenticated.length === 0,
    unauthenticated_count: unauthenticated.length,
    generated_at: formatTimestamp(report.checked_at),
    host: report.host_id,
  }
}

function notCheckedYet(app: App): CliStatus {
  const unknown = { installed: null, authenticated: null, version: null, error: null, loading: true as const }
  const tools = Object.fromEntries(clisOf(app).map(([key, cli]) => [key, { ...describe(cli), ...unknown }]))
  return { tools, all_authenticated: false, unauthenticated_count: 0, generated_at: null, host: null, loading: true }
}

export async function checkClis(app: App): Promise<void> {
  const tools: Record<string, Cli> = {}
  for (const [key, cli] of clisOf(app)) tools[key] = await checkCli(app, cli)
  await upsertReport(app.db, app.home.hostId, tools)
}

function clisOf(app: App): [string, AgentCli][] {
  return app.runtimes.names().flatMap((name): [string, AgentCli][] => {
    const cli = app.runtimes.find(name)?.cli
    return cli ? [[name, cli]] : []
  })
}

/** Enqueues the job once for every live host that runs turns. */
export async function enqueueOnEveryHost(app: App, job: Job<Record<string, never>>): Promise<void> {
  await transact(app.db, async (tx) => {
    for (const hostId of await findLiveHosts(tx)) {
      await enqueue(tx, job, {}, { hostId, key: `${job.name}@${hostId}` })
    }
  })
}

/** Removes the package caches of MCP servers from the home of each session. Their next start downloads the packages again. */
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
