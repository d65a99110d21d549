import { onEvent } from '../../platform/events/event.ts'
import type { Periodic } from '../../platform/jobs/periodic.ts'
import { accountsChanged } from '../accounts/events.ts'
import { type App, prune, type Room } from '../app.ts'
import { budgetsChanged } from '../budgets/events.ts'
import { keptDays, noteAlive } from '../hosts/hosts.ts'
import { failureReasons } from '../inbox/inbox.ts'
import { settingsChanged } from '../settings/events.ts'
import { admit, admitTurns } from './admit.ts'
import { outcomeKinds } from './end-turn.ts'
import { pruneHosts } from './prune-hosts.ts'
import { recover, takeOver } from './recover.ts'
import { runTurn } from './run-turn.ts'
import { runTurnJob } from './run-turn-job.ts'
import { sweepSpotCeiling } from './spot-ceiling.ts'

/** How soon a dead host or a lost wake-up is noticed. An idle host pays a few small queries for it. */
const intervalMs = 5000

const periodic: readonly Periodic<App>[] = [
  {
    // Belongs to no queue: it also ends processes of this host that another host has taken over.
    name: 'take_over_turns',
    queue: null,
    intervalMs,
    runs: 'every_host',
    run: takeOver,
  },
  {
    // Behind the `admit_turns` job. A changed setting may free a slot, a changed budget may allow more.
    name: 'admit_queued_turns',
    queue: 'agents',
    intervalMs,
    runs: 'every_host',
    wakeOn: [onEvent(settingsChanged), onEvent(budgetsChanged), onEvent(accountsChanged)],
    run: admit,
  },
  {
    // Every reading and every change of the targets wakes it. The interval is for windows that end by themselves.
    name: 'sweep_spot_ceiling',
    queue: 'agents',
    intervalMs: 5 * 60_000,
    runs: 'one_host',
    wakeOn: [onEvent(settingsChanged), onEvent(accountsChanged)],
    run: sweepSpotCeiling,
  },
  prune({
    name: 'prune_hosts',
    keeps: { days: keptDays },
    deleteSome: async (app) => {
      await pruneHosts(app)
      return 0
    },
  }),
]

export const turns: Room = {
  name: 'turns',
  jobs: [runTurnJob],
  handlers: [admitTurns, runTurn],
  periodic,
  nameSeries: ({ turnSeconds, turnFailures, recoveries }) => {
    for (const outcome of outcomeKinds) turnSeconds.zero({ outcome })
    for (const reason of failureReasons) turnFailures.inc({ reason }, 0)
    for (const cause of ['crash', 'takeover']) recoveries.inc({ cause }, 0)
  },
  recover: async (app) => {
    await recover(app)
    await noteAlive(app.control, app.home.hostId)
  },
}
