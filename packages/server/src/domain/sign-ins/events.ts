export { signInsChanged } from '@yardmaster/contract/sign-ins/events'
