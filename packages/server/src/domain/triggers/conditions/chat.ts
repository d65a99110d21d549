import type { JsonObject } from '@yardmaster/contract/json'
import { chatEvents } from '@yardmaster/contract/triggers/conditions'
import { type ReadCondition, reading } from './reading.ts'

const keys = ['event_type', 'channel_id', 'channel_name', 'thread_ts', 'allowed_user_ids']

/** The kinds of message that can be watched in one thread only. */
const withThread: readonly string[] = ['new_message', 'bot_mention']

export function readChat(given: JsonObject): ReadCondition {
  const { problems, text, word, list, isGiven } = reading(given, keys)
  const isNamed = isGiven('event_type')
  const named = word('event_type', chatEvents)
  const event_type = named ?? 'new_message'
  const [channel_id, channel_name, thread_ts] = [text('channel_id'), text('channel_name'), text('thread_ts')]
  const allowed_user_ids = list('allowed_user_ids')
  const isKnown = !isNamed || named !== undefined
  if (isKnown && event_type === 'new_message' && channel_id === undefined)
    problems.push('must include channel_id for Chat conditions')
  if (isKnown && thread_ts !== undefined) {
    if (!withThread.includes(event_type)) problems.push(`thread_ts is not supported for ${event_type} conditions`)
    else if (channel_id === undefined) problems.push('thread_ts requires a channel_id')
  }
  if (problems.length > 0) return { problems }
  return {
    configuration: {
      event_type,
      ...(channel_id !== undefined && { channel_id }),
      ...(channel_name !== undefined && { channel_name }),
      ...(thread_ts !== undefined && { thread_ts }),
      ...(allowed_user_ids.length > 0 && { allowed_user_ids }),
    },
    isOneShot: false,
  }
}
