/** The face of the room: triggers and their conditions as rows, and what other rooms may record on them. */
export { nextRunAfter } from './arm.ts'
export { artifactLists, isRootMissing } from './catalog-references.ts'
export { createTrigger } from './change-trigger.ts'
export { eventWords } from './conditions/describe.ts'
export { deleteCursors, readCursors, writeCursor } from './cursor-store.ts'
export { type Condition, findConditions } from './find-conditions.ts'
export { presentTrigger } from './present.ts'
export { previewConditions } from './preview-conditions.ts'
export { type FireChanges, parkTrigger, recordFire } from './record-fire.ts'
export { genesisOfTypes, isOneTime, isReusable, isWake, windowOf } from './traits.ts'
export {
  deleteConditions,
  deleteTriggers,
  lockTrigger,
  lockTriggerIfFree,
  recordPolled,
  selectConditionsAndNow,
  selectConditionsOf,
  selectNow,
  selectSiblingWakes,
  selectTargets,
  selectTrigger,
  spawnedBy,
  type Target,
  updateTiming,
} from './trigger-store.ts'
export type { ConditionRow, TriggerRow, UnresolvedReferences } from './trigger-table.ts'
