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

/** The later record about the same artifact by the same gate: what is recorded never changes, so that is the correction. */
export function correctionOf(decision: Decision, all: readonly Decision[]): Decision | undefined {
  if (decision.artifact_url === null) return undefined
  return all.find(
    ({ id, gate, artifact_url }) =>
      gate === decision.gate && artifact_url === decision.artifact_url && id > decision.id,
  )
}
