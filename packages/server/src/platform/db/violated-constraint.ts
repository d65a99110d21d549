/** Unique violation, and its kin for constraints that exclude more than equal values. */
const violations: readonly unknown[] = ['23505', '23P01']

/** The unique or exclusion constraint a statement ran into, if that is what happened. */
export function violatedConstraint(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !violations.includes(error.code)) return undefined
  return 'constraint' in error && typeof error.constraint === 'string' ? error.constraint : undefined
}
