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
