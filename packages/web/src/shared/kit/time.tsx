import { type ReactNode, useEffect, useState } from 'react'

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const
/** "tomorrow" is one day; "next month" could be any of sixty, so that longer units are counted. */
const relative = {
  day: new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'narrow' }),
  other: new Intl.RelativeTimeFormat(undefined, { numeric: 'always', style: 'narrow' }),
}
const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
export const viewerZone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** "5 min ago"; the tooltip has the full time in the viewer's zone, which it names. */
export function Time({ at, className }: { at: string; className?: string }): ReactNode {
  const now = useNow(30_000)
  const date = new Date(at)
  return (
    <time dateTime={at} data-tip={formatTime(date)} className={`whitespace-nowrap ${className ?? ''}`}>
      {agoOf(date, now)}
    </time>
  )
}

/** In the viewer's zone, named. */
export function formatTime(at: Date | string): string {
  return `${absolute.format(new Date(at))} (${viewerZone})`
}

function agoOf(date: Date, now: number): string {
  const seconds = (date.getTime() - now) / 1000
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? []
  if (!unit || !size) return seconds > 1 ? 'soon' : 'now'
  return relative[unit === 'day' ? 'day' : 'other'].format(Math.trunc(seconds / size), unit)
}

/** The current time, renewed at an interval: for ages and countdowns. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}

/** "4 m 10 s" for a length of time in seconds; "4 m" and not "4 m 0 s". */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)]
  if (hours > 0) return unitsOf([hours, 'h'], [minutes, 'm'])
  return minutes > 0 ? unitsOf([minutes, 'm'], [whole % 60, 's']) : `${whole} s`
}

function unitsOf(...parts: readonly (readonly [count: number, unit: string])[]): string {
  return parts.flatMap(([count, unit]) => (count > 0 ? [`${count} ${unit}`] : [])).join(' ')
}
