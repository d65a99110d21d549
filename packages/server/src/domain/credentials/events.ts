export { connectorsChanged } from '@yardmaster/contract/connectors/events'
