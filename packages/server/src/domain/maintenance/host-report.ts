import { getServers } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { z } from 'zod'
import { version } from '../../platform/version.ts'
import type { App } from '../app.ts'
import { selectReport, upsertReport } from './host-report-store.ts'
import { findAgentProcesses } from './processes.ts'

const Unreached = z.object({ name: z.string(), reason: z.string() })

/** What a host says about itself. A report of another version may lack parts. */
export const HostReport = z.object({
  hostname: z.string(),
  version: z.string(),
  confinement: z.object({ mode: z.string(), mechanism: z.string(), sentence: z.string() }),
  processes: z.array(
    z.object({
      pid: z.int(),
      pids: z.array(z.int()),
      command: z.string(),
      is_orphaned: z.boolean(),
    }),
  ),
  egress: z.object({
    checked: z.array(z.string()),
    failed: z.array(Unreached),
    resolver: z.string().nullable(),
    degraded_since: z.string().nullable(),
  }),
})

export type HostReport = z.infer<typeof HostReport>

/** Only the host itself sees its processes, so it reports them for the host that answers a request. */
export async function reportHost(app: App): Promise<void> {
  const { mode, mechanism, sentence } = app.confinement
  const report: HostReport = {
    hostname: hostname(),
    version,
    confinement: { mode, mechanism, sentence },
    processes: await findAgentProcesses(app),
    egress: await checkEgress(app),
  }
  await upsertReport(app.db, app.home.hostId, report)
}

const lookupMs = 3000

async function checkEgress(app: App): Promise<HostReport['egress']> {
  const outcomes = await Promise.all(
    app.externalHosts.map(async (name) => {
      const reason = await Promise.race([
        lookup(name).then(
          () => undefined,
          (error: unknown) => (error instanceof Error ? error.message : String(error)),
        ),
        wait(lookupMs, `no answer within ${lookupMs / 1000} s`, { ref: false }),
      ])
      return reason === undefined ? [] : [{ name, reason }]
    }),
  )
  const failed = outcomes.flat()
  const since = failed.length === 0 ? null : await degradedSince(app)
  return { checked: [...app.externalHosts], failed, resolver: getServers().join(', ') || null, degraded_since: since }
}

async function degradedSince(app: App): Promise<string> {
  const earlier = HostReport.safeParse((await selectReport(app.db, app.home.hostId))?.report)
  return earlier.data?.egress.degraded_since ?? formatTimestamp(app.clock.now())
}
