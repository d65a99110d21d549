export type { Candidate } from './candidate-store.ts'
export { equipmentOf } from './equipment.ts'
export {
  findByIdempotencyKey,
  findSession,
  isSessionGone,
  lockSession,
  lockSessionIfThere,
  showRow,
} from './find-session.ts'
export { lockDueHeart, selectDueHearts as findDueHearts, stampBeat } from './heartbeat-store.ts'
export { recordHumanMessage, type Utterance } from './hierarchy/human-messages.ts'
export { recordUncle } from './hierarchy/record-uncle.ts'
export { findInTree } from './hierarchy/within-tree.ts'
export { subagentRootsOf } from './injected-servers.ts'
export { recoveryPrompt, recoveryPromptAfterMove } from './lifecycle/recovery-prompt.ts'
export { acceptNextMessage, changedGoal, resume } from './lifecycle/resume.ts'
export { holdKeys } from './lifecycle/stale-metadata.ts'
export { transition } from './lifecycle/transition.ts'
export { type Unarchived, unarchiveSession } from './lifecycle/unarchive.ts'
export { findCandidates, listSessionsWhere, showSessions } from './list-sessions.ts'
export { classesByGenesis } from './scheduling-class.ts'
export { updateSession } from './session-store.ts'
/** The face of the room. */
export type { SessionRow } from './session-table.ts'
export { updateRunningSubagents as settleSubagents } from './subagents/subagent-store.ts'
export { runtimeHome } from './workspace/folders.ts'
export { readTranscripts } from './workspace/read-transcripts.ts'
export { removeSessionFiles } from './workspace/remove-files.ts'
export { openWorkspace, WorkspaceFailed } from './workspace/workspace.ts'
