import type { JsonObject } from '@yardmaster/contract/json'
import { sessionEvents } from '@yardmaster/contract/triggers/conditions'
import { wholeNumber } from '@yardmaster/contract/whole-number'
import { type ReadCondition, reading } from './reading.ts'

export function readSessionEvent(given: JsonObject): ReadCondition {
  const { problems, word, value, isGiven } = reading(given, ['event_name', 'watched_session_id'])
  if (!isGiven('event_name')) problems.push('must include event_name for ao_event conditions')
  const event_name = word('event_name', sessionEvents)
  const watched = isGiven('watched_session_id') ? wholeNumber(value('watched_session_id')) : undefined
  if (isGiven('watched_session_id') && !watched) problems.push('watched_session_id must be a positive integer')
  if (problems.length > 0 || event_name === undefined) return { problems }
  return {
    configuration: { event_name, ...(watched !== undefined && { watched_session_id: watched }) },
    isOneShot: watched !== undefined,
  }
}
