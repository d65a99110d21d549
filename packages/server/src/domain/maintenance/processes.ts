import { sep } from 'node:path'
import { type MarkedProcess, type ProcessTable, processTable } from '../../platform/process/process-table.ts'
import { runOf } from '../../platform/process/run-marker.ts'
import { stopTree } from '../../platform/process/stop.ts'
import { truncate } from '../../platform/truncate.ts'
import type { App } from '../app.ts'
import { findTurnsHeldBy } from '../inbox/inbox.ts'

/** One run of an agent as this host sees it: its oldest process stands for all of them. */
export type AgentProcess = { pid: number; pids: number[]; command: string; is_orphaned: boolean }

type Run = { marker: string; processes: MarkedProcess[]; isOrphaned: boolean }

const commandLength = 200

/** The agents' processes on this host. Redact before truncating: a truncated secret no longer matches its pattern. */
export async function findAgentProcesses(app: App): Promise<AgentProcess[]> {
  const runs = await findRuns(app)
  return Promise.all(
    runs.map(async ({ processes, isOrphaned }) => {
      const [first] = processes
      const command = truncate(await app.redactor.text(first?.command ?? ''), commandLength)
      const pids = processes.map(({ identity }) => identity.pid)
      return { pid: pids[0] ?? 0, pids, command, is_orphaned: isOrphaned }
    }),
  )
}

export type Cleanup = {
  terminated: number[]
  failed: { pid: number; reason: string }[]
  already_dead: number[]
}

/** Long enough for an agent to write its last lines. */
const graceMs = 3000

/** Ends the processes of runs that no turn of this host owns. They are named by start time, so no reused pid is signalled. */
export async function endOrphans(app: App, table: ProcessTable = processTable()): Promise<Cleanup> {
  const cleanup: Cleanup = { terminated: [], failed: [], already_dead: [] }
  const orphans = (await findRuns(app, table)).filter(({ isOrphaned }) => isOrphaned)
  await Promise.all(
    orphans.map(async ({ marker, processes }) => {
      const [first] = processes
      if (!first) return
      const { pid } = first.identity
      const { endedBy, swept, survivors } = await stopTree({ identity: first.identity, marker, graceMs, table })
      if (survivors.length > 0) cleanup.failed.push({ pid, reason: 'It is still running after SIGKILL' })
      else if (endedBy === 'already_gone' && swept === 0) cleanup.already_dead.push(pid)
      else cleanup.terminated.push(pid)
      app.log.warn({ pid, marker, endedBy, swept }, 'ended an agent process that no turn owns')
    }),
  )
  return cleanup
}

/**
 * Lists the processes before it reads who owns them: a run is registered before its first process starts, so a process of a new
 * run never looks orphaned. Other Yardmasters of this machine have other homes.
 */
async function findRuns(app: App, table: ProcessTable = processTable()): Promise<Run[]> {
  const own = (await table.listMarked()).filter(({ home }) => home.startsWith(app.home.path + sep))
  const byRun = new Map<string, MarkedProcess[]>()
  for (const process of own) {
    const run = runOf(process.marker)
    byRun.set(run, [...(byRun.get(run) ?? []), process])
  }
  const held = await findTurnsHeldBy(app.control, app.home.hostId)
  const owned = new Set([...held.map(({ run_marker }) => run_marker), ...app.runs])
  return [...byRun].map(([marker, processes]) => ({
    marker,
    processes: processes.toSorted((a, b) => ages.compare(a.identity.startTime, b.identity.startTime)),
    isOrphaned: !owned.has(marker),
  }))
}

/** A start time ends in a number of ticks. */
const ages = new Intl.Collator('en', { numeric: true })
