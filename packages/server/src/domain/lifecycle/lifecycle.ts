/** The face of the room: create sessions in the caller's transaction, and resume or unarchive them. */
export { createSession, planSession, type SessionPlan } from './create/create-session.ts'
export type { Origin } from './create/parent.ts'
export { recoveryPrompt, recoveryPromptAfterMove } from './recovery-prompt.ts'
export { acceptNextMessage, changedGoal, resume } from './resume.ts'
export { sleepUntilWoken } from './sleep.ts'
export { storeTranscripts } from './store-transcripts.ts'
export { unarchiveSession } from './unarchive.ts'
