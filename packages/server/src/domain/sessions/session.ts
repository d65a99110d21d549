/** The face of the kernel: finding, listing and presenting sessions, the state machine, and the writes other rooms may ask for. */
export type { Candidate } from './candidate-store.ts'
export {
  findByIdempotencyKey,
  findSession,
  isSessionGone,
  lockSession,
  lockSessionIfThere,
  showRow,
} from './find-session.ts'
export { findCandidates, listSessionsWhere, showSessions } from './list-sessions.ts'
export { presentSession } from './present.ts'
export { classesByGenesis } from './scheduling-class.ts'
export {
  type ClassByGenesis,
  type ColumnChanges,
  deleteSessionRow,
  highestSpotPrecedence,
  insertSession,
  lockPlacement,
  selectRefreshable,
  selectSession,
  selectSessionForDelete,
  selectSessionToReferTo,
  updateSession,
} from './session-store.ts'
export type { SessionRow } from './session-table.ts'
export { freeSlug } from './slug.ts'
export { holdKeys, setupKeys, staleKeys } from './stale-metadata.ts'
export { transition } from './transition.ts'
