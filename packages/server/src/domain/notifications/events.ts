export {
  notificationCreated,
  notificationsChanged,
  pushSubscriptionsChanged,
  pushSwitchChanged,
} from '@yardmaster/contract/notifications/events'
