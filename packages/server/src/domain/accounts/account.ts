/** The face of the room: the vendor accounts that serve sessions. */
export { selectAccounts as findAccounts } from './account-store.ts'
export { storeLogin, vendorOf } from './add-account.ts'
export { adoptLogin } from './adopt-login.ts'
export { measure } from './measure.ts'
export { presentLoginFor } from './past-tokens.ts'
export { isReady, type OutageReason } from './pool.ts'
export { type PoolUse, usesByRuntime } from './quota.ts'
export { accessOutsideTurns, releaseTurn, type Service, serveTurn } from './serve.ts'
export { type Consequence, settleFailure } from './settle-failure.ts'

import type { Mutex } from '../../platform/concurrency/mutex.ts'

declare module '../app.ts' {
  interface App {
    /** Serializes changes of an account or a pool on this host, so that waiting callers hold no connection. */
    accountMutex: Mutex
  }
}
