export {
  accountNeedsReauth,
  accountsChanged,
  poolRecovered,
} from '@yardmaster/contract/accounts/events'
