import { z } from 'zod'
import { defineJob } from '../../platform/jobs/job.ts'
import { StoredItem } from './forge-item.ts'

export const ForgeEvent = z.object({
  what: z.enum(['opened', 'labelled', 'reopened', 'changed']),
  item: StoredItem,
  /** The label that was added. */
  label: z.string().optional(),
})

/** Fires the triggers that wait for what a webhook reported, and checks the pull request it is about. */
export const receiveForgeEventJob = defineJob({
  name: 'receive_forge_event',
  queue: 'pollers',
  payload: ForgeEvent,
  attempts: 10,
})
