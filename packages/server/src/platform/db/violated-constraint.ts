/** Unique violation and exclusion violation. */
const violations: readonly unknown[] = ['23505', '23P01']

/** The name of the unique or exclusion constraint that a statement violated, if it violated one. */
export function violatedConstraint(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !violations.includes(error.code)) return undefined
  return 'constraint' in error && typeof error.constraint === 'string' ? error.constraint : undefined
}
