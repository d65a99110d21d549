import { z } from 'zod'
import { defineEndpoint, defineList } from '../endpoint.ts'
import { IdParam, SessionRef } from '../identifiers.ts'
import {
  DismissedNotifications,
  MarkedNotifications,
  Notification,
  NotificationFilters,
  PendingCount,
  PushRequest,
  PushSwitch,
  PushSwitchChange,
  QueuedPush,
} from './fields.ts'

const tag = 'Notifications'
const params = z.object({ id: IdParam })
const OneNotification = z.object({ notification: Notification })

export const listNotifications = defineList({
  name: 'notifications.list',
  auth: 'api_key',
  path: '/notifications',
  tag,
  summary: 'List notifications, newest first',
  description: 'Without those that became stale because their session has moved on.',
  key: 'notifications',
  item: Notification,
  filters: NotificationFilters,
})

export const countPending = defineEndpoint({
  name: 'notifications.badge',
  auth: 'api_key',
  method: 'GET',
  path: '/notifications/badge',
  tag,
  summary: 'Count the notifications that wait to be read',
  answers: { 200: PendingCount },
})

export const showNotification = defineEndpoint({
  name: 'notifications.show',
  auth: 'api_key',
  method: 'GET',
  path: '/notifications/{id}',
  tag,
  summary: 'Show a notification, also a stale one',
  params,
  answers: { 200: OneNotification },
  refusals: ['not_found'],
})

export const markRead = defineEndpoint({
  name: 'notifications.mark_read',
  auth: 'api_key',
  method: 'PATCH',
  path: '/notifications/{id}/mark_read',
  tag,
  summary: 'Mark a notification as read',
  params,
  answers: { 200: OneNotification },
  refusals: ['not_found'],
})

export const markAllRead = defineEndpoint({
  name: 'notifications.mark_all_read',
  auth: 'api_key',
  method: 'PATCH',
  path: '/notifications/mark_all_read',
  tag,
  summary: 'Mark every notification as read',
  answers: { 200: MarkedNotifications },
})

const dismissing = {
  auth: 'api_key',
  method: 'DELETE',
  tag,
  params,
  answers: { 204: 'nothing' },
  refusals: ['not_found', 'cannot_dismiss'],
} as const

export const dismissNotification = defineEndpoint({
  ...dismissing,
  name: 'notifications.dismiss',
  path: '/notifications/{id}/dismiss',
  summary: 'Remove a notification that was read',
})

export const deleteNotification = defineEndpoint({
  ...dismissing,
  name: 'notifications.delete',
  path: '/notifications/{id}',
  summary: 'Remove a notification that was read',
  description: 'The same as `DELETE /notifications/{id}/dismiss`, for clients that know only this address.',
})

export const dismissAllRead = defineEndpoint({
  name: 'notifications.dismiss_all_read',
  auth: 'api_key',
  method: 'DELETE',
  path: '/notifications/dismiss_all_read',
  tag,
  summary: 'Remove every notification that was read',
  answers: { 200: DismissedNotifications },
})

export const sendPush = defineEndpoint({
  name: 'notifications.push',
  auth: 'api_key',
  method: 'POST',
  path: '/notifications/push',
  tag,
  summary: 'Tell people something about a session',
  description:
    'Makes a notification and sends it to every subscribed browser. The same message about the same session is made once in 15 minutes. An agent can send 20 in an hour about a session.',
  body: PushRequest,
  answers: { 200: QueuedPush },
  refusals: ['not_found', 'missing_parameter', 'too_many_notifications'],
})

const sessionParams = z.object({ id: SessionRef })

export const showPushSwitch = defineEndpoint({
  name: 'sessions.push_notifications',
  auth: 'api_key',
  method: 'GET',
  path: '/sessions/{id}/push_notifications',
  tag: 'Sessions',
  summary: 'Show whether pushes are sent about a session',
  params: sessionParams,
  answers: { 200: PushSwitch },
  refusals: ['not_found'],
})

export const changePushSwitch = defineEndpoint({
  name: 'sessions.toggle_push_notifications',
  auth: 'api_key',
  method: 'POST',
  path: '/sessions/{id}/toggle_push_notifications',
  tag: 'Sessions',
  summary: 'Turn the pushes about a session on or off',
  description: 'Notifications are made in either case; the switch is about what reaches the devices of people.',
  params: sessionParams,
  body: PushSwitchChange,
  answers: { 200: PushSwitch },
  refusals: ['not_found'],
})

export const endpoints = [
  listNotifications,
  countPending,
  showNotification,
  markRead,
  markAllRead,
  dismissNotification,
  deleteNotification,
  dismissAllRead,
  sendPush,
  showPushSwitch,
  changePushSwitch,
] as const
