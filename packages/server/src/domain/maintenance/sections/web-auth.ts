import type { HealthReport } from '@yardmaster/contract/health/report-fields'
import type { App } from '../../app.ts'
import { openPagesWarning } from '../../sign-ins/sign-in.ts'
import { healthy, warning } from './facts.ts'

export async function webAuthHealth({ webAuth: mode }: App): Promise<HealthReport['web_auth']> {
  const status =
    mode === 'none'
      ? warning(openPagesWarning, 'web_auth_none')
      : healthy('People sign in with an API key or a one-time link')
  return { status, mode }
}
