import type { ReactNode } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { Badge } from '../../shared/kit/badge.tsx'
import { Time, useNow, viewerZone } from '../../shared/kit/time.tsx'
import { clockChanges, offsetIn, timeIn } from './zoned-times.ts'

type Fires = Result<'triggers.preview'>['next_fires']

/** The next five fires in the trigger's zone and in the viewer's, with the changes of clocks between them. */
export function NextFires({ fires }: { fires: Fires }): ReactNode {
  const now = new Date(useNow(60_000))
  if (fires.length === 0) return <p className="text-muted">No schedule: it fires when something happens.</p>
  const zones = [...new Set([...fires.map(({ timezone }) => timezone), viewerZone])]
  const times = fires.map(({ at }) => new Date(at))
  const changes = clockChanges(times, zones, now)
  return (
    <ol className="flex flex-col">
      {fires.map(({ at, timezone, condition }, index) => {
        const time = new Date(at)
        return (
          <li
            key={`${at} ${condition}`}
            className="flex items-start justify-between gap-3 border-line border-b py-1.5 last:border-b-0"
          >
            <div className="min-w-0">
              <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
                <span className="tabular font-medium">{timeIn(timezone, time, now)}</span>
                {changes[index]?.map((zone) => (
                  <Badge
                    key={zone}
                    tone="needs"
                    icon="clock"
                    tip={`Clocks in ${zone} show ${offsetIn(zone, time)} from here on`}
                  >
                    {zone === timezone ? 'clocks change' : 'your clocks change'}
                  </Badge>
                ))}
              </p>
              <p className="text-muted text-sm">
                {timezone}, {offsetIn(timezone, time)}
              </p>
              {timezone !== viewerZone && (
                <p className="tabular text-muted text-sm">
                  {withoutSameDay(timeIn(viewerZone, time, now), timeIn(timezone, time, now))} for you ({viewerZone})
                </p>
              )}
            </div>
            <Time at={at} className="text-muted text-sm" />
          </li>
        )
      })}
    </ol>
  )
}

/** Only the hour, if the day is the one that stands above it. */
function withoutSameDay(text: string, above: string): string {
  const at = text.lastIndexOf(',')
  return text.slice(0, at) === above.slice(0, above.lastIndexOf(',')) ? text.slice(at + 1).trim() : text
}
