const uniqueViolation = '23505'

/** The unique constraint an insert or update ran into, if that is what happened. */
export function violatedConstraint(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== uniqueViolation) return undefined
  return 'constraint' in error && typeof error.constraint === 'string' ? error.constraint : undefined
}
