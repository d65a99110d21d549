export { elicitationRaised, elicitationResolved } from '@yardmaster/contract/elicitations/events'
