import type { Result } from '../../shared/api/client.ts'

/** What the service says about a session that it created: a default that a person may not expect, for instance. */
export function warningsOf(created: Result<'sessions.create'>): readonly string[] {
  return ('warnings' in created && created.warnings) || []
}
