export { notificationCreated, notificationsChanged } from '@yardmaster/contract/notifications/events'
