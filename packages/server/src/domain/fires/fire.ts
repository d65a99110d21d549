/** The face of the room: events, and firing triggers for them. */
export { type FireResult, hasFired, type TriggerEvent } from './event.ts'
export { fireTrigger } from './fire-trigger.ts'
export { reportUnheard } from './report-unheard.ts'
