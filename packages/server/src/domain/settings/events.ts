export { settingsChanged } from '@yardmaster/contract/settings/events'
