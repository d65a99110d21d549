import type { Result } from '../../shared/api/client.ts'
import type { Tone } from '../../shared/kit/badge.tsx'
import type { IconName } from '../../shared/kit/icon.tsx'

export type Connector = Result<'connectors.list'>['connectors'][number]
export type OrphanedCredential = Result<'connectors.list'>['orphaned_credentials'][number]

/** What each state is called here. */
export const looks: Record<Connector['state'], { word: string; tone: Tone; icon: IconName }> = {
  ready: { word: 'ready', tone: 'ok', icon: 'check' },
  no_credential_required: { word: 'needs no sign-in', tone: 'ok', icon: 'check' },
  token_expired: { word: 'renewed at its next use', tone: 'neutral', icon: 'clock' },
  missing_configuration: { word: 'not configured', tone: 'needs', icon: 'triangle-alert' },
  needs_authorization: { word: 'not authorized', tone: 'needs', icon: 'triangle-alert' },
  needs_reauth: { word: 'authorize again', tone: 'failed', icon: 'octagon-x' },
  declared_unavailable: { word: 'out of order', tone: 'failed', icon: 'octagon-x' },
  store_unavailable: { word: 'state unknown', tone: 'neutral', icon: 'circle-question-mark' },
  probe_failed: { word: 'not used yet', tone: 'neutral', icon: 'circle-question-mark' },
}

/** Whether a person is needed before sessions can use it. */
export function needsPerson({ state }: Connector): boolean {
  return looks[state].tone === 'needs' || looks[state].tone === 'failed'
}
