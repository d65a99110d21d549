import type { Tone } from '../../shared/kit/badge.tsx'

export function outcomeTone(outcome: 'Success' | 'Failure'): Tone {
  return outcome === 'Success' ? 'ok' : 'failed'
}
