import type { Result } from '../../shared/api/client.ts'
import type { Tone } from '../../shared/kit/badge.tsx'

export type Account = Result<'accounts.list'>['accounts'][number]
export type Pool = Result<'accounts.list_pools'>['account_pools'][number]
export type Rotation = Result<'accounts.list_rotations'>['account_rotations'][number]
export type LoginAttempt = Result<'login_attempts.show'>['login_attempt']

export const statuses: Record<Account['status'], { word: string; tone: Tone }> = {
  active: { word: 'active', tone: 'ok' },
  quota_exceeded: { word: 'quota spent', tone: 'needs' },
  needs_reauth: { word: 'sign in again', tone: 'failed' },
}

export const reasons: Record<Rotation['reason'], string> = {
  quota_exceeded: 'its quota was spent',
  login_rejected: 'the vendor refused its login',
  switched: 'someone switched',
  account_added: 'it was added',
  account_deleted: 'the one before was deleted',
  window_cleared: 'its quota is free again',
}

export const windows = [
  { label: '5 hours', used: 'utilization_5h', resets: 'reset_5h' },
  { label: 'Week', used: 'utilization_7d', resets: 'reset_7d' },
] as const

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}
