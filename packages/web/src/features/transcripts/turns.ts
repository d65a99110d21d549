import type { Result } from '../../shared/api/client.ts'

export type Turn = Result<'turns.list'>['turns'][number]

/** How many turns are read at once: the latest with the session, earlier ones when they are shown. */
export const turnsOnPage = 100

export const turnSources: Record<Turn['source'], string> = {
  create: 'first prompt',
  follow_up: 'follow-up',
  queued_message: 'queued message',
  trigger: 'trigger',
  wake: 'wake',
  heartbeat: 'heartbeat',
  recovery: 'recovery',
  summary: 'summary',
}
