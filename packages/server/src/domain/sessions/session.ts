/** The face of the kernel: find, list and present sessions, the state machine, and the writes that other rooms may call. */
export type { Candidate } from './candidate-store.ts'
export {
  findByIdempotencyKey,
  findSession,
  isSessionGone,
  lockSession,
  lockSessionIfThere,
  showRow,
} from './find-session.ts'
export { genesisOfRequest } from './genesis.ts'
export { findCandidates, listSessionsWhere, showSessions } from './list-sessions.ts'
export { readMetadata, type SessionMetadata } from './metadata.ts'
export { hasMetadata, isHeld, isMetadataTimeReached, isParked, metadataText } from './metadata-store.ts'
export { presentSession } from './present.ts'
export { type Card, recordCardOrder, recordCardSection, recordHeartbeatSent } from './quiet-store.ts'
export {
  clearBudgetStop,
  clearHold,
  clearLostElicitation,
  clearWorkspace,
  recordAccount,
  recordAgentProcess,
  recordArtifacts,
  recordCategory,
  recordClaim,
  recordConversation,
  recordEdit,
  recordFavorite,
  recordFirstTurn,
  recordHeartbeatSettings,
  recordHold,
  recordInjectedServers,
  recordLostElicitation,
  recordModel,
  recordNextTurn,
  recordNotes,
  recordOverBudget,
  recordPendingSleep,
  recordPlaceholderTitle,
  recordPullRequests,
  recordSignInNeed,
  recordSuspectCalls,
  recordTitle,
  recordVisibility,
  recordWorkspace,
  type SessionEdit,
} from './record.ts'
export { classesByGenesis } from './scheduling-class.ts'
export {
  type ClassByGenesis,
  deleteSessionRow,
  highestSpotPrecedence,
  insertSession,
  lockPlacement,
  lockSessionIfFree,
  lockSessionSoon,
  matchesFilters,
  reserveSessionId,
  selectLastTransition,
  selectRefreshable,
  selectSession,
  selectSessionForDelete,
  selectSessionForReference,
} from './session-store.ts'
export type { SessionRow } from './session-table.ts'
export { freeSlug } from './slug.ts'
export { type TransitionChanges, transition, transitionIfItApplies } from './transition.ts'
