import type { Reactions } from '../../shared/live/live.tsx'

export const reactions: Reactions = {
  'connectors.changed': ['connectors'],
  // A session that waits for a server has failed with that reason.
  'session.status_changed': ({ data: { from, to } }) => ([from, to].includes('failed') ? ['connectors'] : undefined),
}
