/** The face of the room: firing triggers, and what pollers need to know of their conditions. */
export { deleteCursors, readCursors, writeCursor } from './cursor-store.ts'
export { type FireResult, hasFired, type TriggerEvent } from './event.ts'
export { type Condition, findConditions } from './find-conditions.ts'
export { fireTrigger } from './fire.ts'
export { enqueueFire } from './fire-trigger-job.ts'
export { recordPolled, selectTrigger } from './trigger-store.ts'
