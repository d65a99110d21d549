import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { RepoName, readItem, WireItem } from '../../platform/forge/item.ts'
import { refuse } from '../../platform/refusal.ts'
import { acceptDelivery } from '../../platform/webhooks/accept-delivery.ts'
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
  const accepting = { source: 'forge', job: receiveForgeEventJob } as const
  const isNew = await acceptDelivery(app, accepting, { id: delivery.data, payload: event })
  if (!isNew) refuse('delivery_replayed', `Delivery ${delivery.data} was accepted before`)
  return { status: event ? 'accepted' : 'ignored' }
}

const meanings: ReadonlyMap<string, z.infer<typeof ForgeEvent>['what']> = new Map([
  ['opened', 'opened'],
  ['labeled', 'labelled'],
  ['reopened', 'reopened'],
])

/** Undefined for an event that concerns nothing of ours. */
function readEvent(name: string, body: unknown): z.infer<typeof ForgeEvent> | undefined {
  if (name !== 'issues' && name !== 'pull_request') return undefined
  const delivered = Delivered.safeParse(body)
  if (!delivered.success) return undefined
  const { action, label, issue, pull_request: pullRequest, repository } = delivered.data
  const kind = name === 'issues' ? 'issue' : 'pull_request'
  const wire = kind === 'issue' ? issue : pullRequest
  const what = meanings.get(action) ?? 'changed'
  if (!wire || (kind === 'issue' && what === 'changed')) return undefined
  const item = readItem(repository.full_name, kind, wire)
  return { what, item, ...(label && { label: label.name }) }
}
