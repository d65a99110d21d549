import { handleJob } from '../app.ts'
import type { TriggerEvent } from './event.ts'
import { fireTrigger } from './fire-trigger.ts'
import { type FirePayload, fireTriggerJob } from './fire-trigger-job.ts'

/** A fire that raised is tried again by the queue; each attempt counts in the same entry of the history. */
export const runFire = handleJob(fireTriggerJob, async ({ triggerId, event }, app) => {
  const { outcome, reason } = await fireTrigger(app, triggerId, read(event))
  if (outcome === 'failed') throw new Error(`trigger ${triggerId} failed to fire: ${reason}`)
})

function read({ occurredAt, conversation, human, ...event }: FirePayload['event']): TriggerEvent {
  return {
    ...event,
    occurredAt: new Date(occurredAt),
    ...(conversation !== undefined && { conversation }),
    ...(human && {
      human: {
        authorKey: human.authorKey,
        content: human.content,
        ...(human.roomName !== undefined && { roomName: human.roomName }),
      },
    }),
  }
}
