import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { transact } from '../../platform/db/transact.ts'
import { RepoName, readItem, WireItem } from '../../platform/forge/item.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { refuse } from '../../platform/refusal.ts'
import { claimDelivery } from '../../platform/webhooks/delivery-store.ts'
import type { App } from '../app.ts'
import { type ForgeEvent, receiveForgeEventJob } from './receive-forge-event-job.ts'

const Delivered = z.object({
  action: z.string(),
  label: z.object({ name: z.string() }).optional(),
  issue: WireItem.optional(),
  pull_request: WireItem.optional(),
  repository: z.object({ full_name: RepoName }),
})

const DeliveryId = z.string().regex(/^[\w-]{1,255}$/)

/**
 * Stores the job that handles the event, once for each delivery, and answers at once. The forge sends a delivery again only
 * when a person asks for it, so one that was accepted before is refused.
 */
export async function receiveEvent(
  app: App,
  headers: IncomingHttpHeaders,
  body: Record<string, unknown>,
): Promise<{ status: 'accepted' | 'ignored' }> {
  const delivery = DeliveryId.safeParse(headers['x-github-delivery'])
  const name = headers['x-github-event']
  if (!delivery.success || typeof name !== 'string')
    return refuse('missing_parameter', 'The headers X-GitHub-Delivery and X-GitHub-Event are required')
  if (typeof body.payload === 'string')
    return refuse('unsupported_content_type', 'Set the content type of the webhook to application/json')
  const event = readEvent(name, body)
  return transact(app.db, async (tx) => {
    if (!(await claimDelivery(tx, 'forge', delivery.data)))
      refuse('delivery_replayed', `Delivery ${delivery.data} was accepted before`)
    if (!event) return { status: 'ignored' }
    await enqueue(tx, receiveForgeEventJob, event)
    return { status: 'accepted' }
  })
}

const meanings: Record<string, z.infer<typeof ForgeEvent>['what']> = {
  opened: 'opened',
  labeled: 'labelled',
  reopened: 'reopened',
}

/** Undefined for an event that concerns nothing of ours. */
function readEvent(name: string, body: unknown): z.input<typeof ForgeEvent> | undefined {
  if (name !== 'issues' && name !== 'pull_request') return undefined
  const delivered = Delivered.safeParse(body)
  if (!delivered.success) return undefined
  const { action, label, issue, pull_request: pullRequest, repository } = delivered.data
  const kind = name === 'issues' ? 'issue' : 'pull_request'
  const wire = kind === 'issue' ? issue : pullRequest
  const what = meanings[action] ?? 'changed'
  if (!wire || (kind === 'issue' && what === 'changed')) return undefined
  const item = readItem(repository.full_name, kind, wire)
  return { what, item, ...(label && { label: label.name }) }
}
