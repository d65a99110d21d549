import type { Candidate } from '../sessions/session.ts'

export type ScanCursor = { createdAt: string; id: string }

const largestId = 2n ** 63n - 1n

/** `2026-08-20T11:02:19.482913Z|3108`. Any other text is ignored. */
export function readCursor(text: string | undefined): ScanCursor | undefined {
  const [, createdAt = '', id = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)\|(\d{1,19})$/.exec(text ?? '') ?? []
  if (!isRealTime(createdAt) || id === '') return undefined
  return BigInt(id) >= 1n && BigInt(id) <= largestId ? { createdAt, id } : undefined
}

export function writeCursor({ id, createdAtMicros }: Candidate): string {
  const millis = Math.floor(createdAtMicros / 1000)
  const micros = createdAtMicros - millis * 1000
  return `${new Date(millis).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z|${id}`
}

/** PostgreSQL rejects dates such as 30 February and the year 0. */
function isRealTime(text: string): boolean {
  const second = text.slice(0, 19)
  const time = new Date(`${second}Z`)
  return !Number.isNaN(time.getTime()) && !second.startsWith('0000') && time.toISOString().startsWith(second)
}
