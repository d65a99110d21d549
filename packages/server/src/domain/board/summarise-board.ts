import type { BoardSummary } from '@yardmaster/contract/board/read'
import type { App } from '../app.ts'
import { findCostOfToday } from '../costs/cost.ts'
import { findLiveHosts } from '../hosts/hosts.ts'
import { readSettings } from '../settings/settings.ts'
import { roundedToCents } from './present-card.ts'
import { countOthers, countSessions } from './summary-store.ts'

export async function summariseBoard(app: App): Promise<BoardSummary> {
  const [{ held, ...ofSessions }, { live, ...others }, settings, hosts, cost] = await Promise.all([
    countSessions(app.db),
    countOthers(app.db),
    readSettings(app.db),
    findLiveHosts(app.db),
    findCostOfToday(app),
  ])
  return {
    ...ofSessions,
    ...others,
    cost_today_usd: roundedToCents(cost),
    hosts: { alive: hosts.length },
    spot: {
      is_gated: settings.spot_gating_enabled,
      live,
      slots: settings.spot_max_concurrent_sessions,
      held,
    },
  }
}
