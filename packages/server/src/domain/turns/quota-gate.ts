import type { Settings } from '@yardmaster/contract/settings/fields'
import type { PoolUse } from '../accounts/account.ts'

type Targets = Pick<Settings, 'spot_gate_five_hour_threshold_pct' | 'spot_gate_weekly_threshold_pct'>

/**
 * The runtimes whose accounts have used as much as spot work may, each with a sentence. Without a reading nothing is held.
 * With a margin, the runtimes that are not yet so many points below their targets.
 */
export function spentQuotas(
  settings: Targets,
  uses: ReadonlyMap<string, PoolUse>,
  { marginPoints = 0 } = {},
): ReadonlyMap<string, string> {
  const spent = [...uses].flatMap(([runtime, { fiveHour, weekly }]): [string, string][] => {
    const windows = [
      { name: '5-hour', use: fiveHour, target: settings.spot_gate_five_hour_threshold_pct },
      { name: 'weekly', use: weekly, target: settings.spot_gate_weekly_threshold_pct },
    ]
    const full = windows.find(({ use, target }) => use !== null && use * 100 >= lowered(target, marginPoints))
    if (!full) return []
    const percent = Math.floor((full.use ?? 0) * 100)
    return [
      [
        runtime,
        `the accounts of ${runtime} have used ${percent} % of their ${full.name} quota and the target for spot work is ${full.target} %`,
      ],
    ]
  })
  return new Map(spent)
}

/** A window that was not used at all is below every target but 0, whatever the margin. */
function lowered(target: number, marginPoints: number): number {
  return Math.max(target - marginPoints, Math.min(target, 1))
}
