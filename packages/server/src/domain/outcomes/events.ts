export { outcomeAnalysesChanged } from '@yardmaster/contract/outcomes/events'
