import type { EnqueuedMessage } from '@yardmaster/contract/inbox/fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { z } from 'zod'
import type { Message } from './message-store.ts'

export function presentMessage({
  created_at,
  updated_at,
  trigger_id: _,
  is_by_person: ___,
  traceparent: __,
  ...message
}: Message): z.output<typeof EnqueuedMessage> {
  return { ...message, created_at: formatTimestamp(created_at), updated_at: formatTimestamp(updated_at) }
}
