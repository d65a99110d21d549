export {
  sessionCreated,
  sessionDeleted,
  sessionStatusChanged,
  statusSummaryChanged,
} from '@yardmaster/contract/sessions/events'
