import type { App } from '../app.ts'
import { selectIsWaiting } from './elicitation-store.ts'

/** The face of the room: questions of sessions to people. */
export { verifyToken } from './ask-by-http.ts'
export { askPerson } from './ask-person.ts'
export { release } from './close.ts'
export { variablesOf } from './environment.ts'
export { findPendingQuestions } from './find.ts'
export { openQuestionMemory, type QuestionMemory } from './question-memory.ts'
export { settleRun, withdrawQuestions } from './settle-run.ts'
export { issueToken } from './token.ts'

/** Whether a process of the run waits for a person, or did within the time after which an agent counts as silent. */
export function isWaitingForPerson(app: App, marker: string): Promise<boolean> {
  return selectIsWaiting(app.db, marker, app.agentSilenceSeconds)
}
