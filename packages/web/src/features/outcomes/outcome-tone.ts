import type { Tone } from '../../shared/kit/badge.tsx'

export function outcomeTone(outcome: string | null): Tone {
  if (outcome?.startsWith('success')) return 'ok'
  return outcome?.startsWith('fail') ? 'failed' : 'neutral'
}
