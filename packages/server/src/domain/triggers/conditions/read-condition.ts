import type { JsonObject } from '@yardmaster/contract/json'
import type { ConditionType } from '@yardmaster/contract/triggers/conditions'
import { readChat } from './chat.ts'
import { readForgeIssue, readForgeLabel } from './forge.ts'
import type { ReadCondition } from './reading.ts'
import { readSchedule } from './schedule.ts'
import { readSessionEvent } from './session-event.ts'

const readers: { [Type in ConditionType]: (configuration: JsonObject) => ReadCondition } = {
  chat: readChat,
  forge_issue: readForgeIssue,
  forge_label: readForgeLabel,
  schedule: readSchedule,
  ao_event: readSessionEvent,
}

/** Reads a configuration by the condition's type, or says what is wrong with it. */
export function readCondition(type: ConditionType, configuration: JsonObject): ReadCondition {
  return readers[type](configuration)
}
