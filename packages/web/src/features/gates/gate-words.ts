import type { Result } from '../../shared/api/client.ts'
import type { Tone } from '../../shared/kit/badge.tsx'

export type Decision = Result<'gate_decisions.list'>['gate_decisions'][number]

export const gateWords: Record<Decision['gate'], string> = { pr_merge: 'Merge', issue_work: 'Issue' }

/** Gates have words of their own for a decision; these are the usual ones. */
export function decisionTone(decision: string | null): Tone {
  if (/^(merge|accept|approve|go|pass|work)/i.test(decision ?? '')) return 'ok'
  if (/^(reject|close|decline|no|fail|deny)/i.test(decision ?? '')) return 'failed'
  return /^(hold|wait|defer|escalate)/i.test(decision ?? '') ? 'needs' : 'neutral'
}
