import { z } from 'zod'
import { Id, SessionRef } from '../identifiers.ts'
import { limits } from '../limits.ts'
import { readBoolean } from '../query.ts'
import { optionallySent, refuseField, sent, sentAsText } from '../sent.ts'
import { sessionStatuses } from '../sessions/fields.ts'
import { Timestamp } from '../timestamp.ts'

export const notificationTypes = [
  'session_complete',
  'needs_input',
  'session_failed',
  'custom_message',
  'elicitation_pending',
  'budget_warning',
  'budget_exhausted',
  'account_needs_reauth',
] as const
export type NotificationType = (typeof notificationTypes)[number]

export const Notification = z
  .object({
    id: Id,
    session_id: Id,
    notification_type: z.enum(notificationTypes).meta({ description: 'What it is about.' }),
    title: z.string().meta({ description: "The session's title when it was made." }),
    body: z.string().meta({ description: 'What happened, in one line.' }),
    url: z.string().meta({
      description:
        'The page that it leads to, below the address of the service: of the session, the accounts or the costs.',
    }),
    read: z.boolean().meta({ description: 'Whether a person has seen it.' }),
    stale: z.boolean().meta({ description: 'Whether the session has moved on; it has left the list then.' }),
    created_at: Timestamp.meta({ description: 'When it was made.' }),
    updated_at: Timestamp.meta({ description: 'When it last changed.' }),
    session: z
      .object({
        id: Id,
        slug: z.string().nullable().meta({ description: 'Its slug.' }),
        title: z.string().nullable().meta({ description: 'Its title now.' }),
        status: z.enum(sessionStatuses).meta({ description: 'Its status now.' }),
      })
      .meta({ description: 'The session it is about, as it is now.' }),
  })
  .meta({ id: 'Notification' })

export type Notification = z.infer<typeof Notification>

/** Any other value is ignored. */
export const NotificationFilters = z.object({
  status: sentAsText<'read' | 'unread'>()
    .optional()
    .transform((value) => (value === 'read' || value === 'unread' ? value : undefined))
    .meta({ type: 'string', enum: ['read', 'unread'], description: 'Only those that were read, or that were not.' }),
})

export const PendingCount = z.object({
  pending_count: z.int().meta({ description: 'Notifications that wait to be read.' }),
})

export const MarkedNotifications = PendingCount.extend({
  marked_count: z.int().meta({ description: 'Notifications that this request marked as read.' }),
})

export const DismissedNotifications = PendingCount.extend({
  dismissed_count: z.int().meta({ description: 'Notifications that this request removed.' }),
})

export const PushRequest = z.object({
  session_id: sent<number | string>(z.unknown())
    .transform((value, context): SessionRef => {
      if (value === undefined || value === null || value === '')
        return refuseField(context, 'missing_parameter', 'session_id is required')
      const isNamed = typeof value === 'number' || typeof value === 'string'
      const { data: ref } = SessionRef.safeParse(isNamed ? String(value) : undefined)
      return ref ?? refuseField(context, 'validation_failed', 'session_id must be the id or the slug of a session')
    })
    .meta({ type: ['integer', 'string'], description: 'The session it is about: its id or slug.', examples: [4821] }),
  message: sent<string>(z.unknown())
    .transform((value, context): string => {
      if (value === undefined || value === null || (typeof value === 'string' && value.trim() === ''))
        return refuseField(context, 'missing_parameter', 'message is required')
      return typeof value === 'string' ? value : refuseField(context, 'validation_failed', 'Message must be a text')
    })
    .meta({
      type: 'string',
      description: `What to tell the person. Cut after ${limits.notificationMessage} characters.`,
      examples: ['The release is out.'],
    }),
})

export const QueuedPush = z.object({
  success: z.literal(true).meta({ description: 'The message was taken.' }),
  message: z.string().meta({ description: 'Whether it was queued, or repeats one of the last 15 minutes.' }),
  session_id: Id,
})

export const PushSwitchChange = z.object({
  enabled: optionallySent<boolean | string | number | null>()
    .transform((value, context): boolean | undefined => {
      if (value === undefined || value === null) return undefined
      return readBoolean(value) ?? refuseField(context, 'validation_failed', 'enabled must be a boolean')
    })
    .meta({ type: 'boolean', description: 'Whether pushes are sent; absent turns the switch to its other side.' }),
})

export const PushSwitch = z.object({
  session_id: Id,
  push_notifications_enabled: z.boolean().meta({ description: 'Whether pushes are sent about the session.' }),
})

export type PushSwitch = z.infer<typeof PushSwitch>
