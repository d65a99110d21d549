import { z } from 'zod'
import { defineEvent } from '../event.ts'
import { Id } from '../identifiers.ts'
import { notificationTypes } from './fields.ts'

export const notificationCreated = defineEvent({
  name: 'notification.created',
  payload: z.object({ notification_id: Id, notification_type: z.enum(notificationTypes) }),
})

/** Some were read, dismissed or became stale. The payload is empty: a reader lists them again. */
export const notificationsChanged = defineEvent({ name: 'notifications.changed', payload: z.object({}) })

/** Browsers were subscribed to pushes, or removed. The payload is empty: a reader lists them again. */
export const pushSubscriptionsChanged = defineEvent({ name: 'push_subscriptions.changed', payload: z.object({}) })

/** Pushes about the session were turned on or off. */
export const pushSwitchChanged = defineEvent({
  name: 'session.push_switch_changed',
  payload: z.object({ push_notifications_enabled: z.boolean() }),
})
