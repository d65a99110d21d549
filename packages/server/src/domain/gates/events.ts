export { gateDecisionsChanged } from '@yardmaster/contract/gates/events'
