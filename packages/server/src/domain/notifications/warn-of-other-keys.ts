import type { App } from '../app.ts'
import { countOfOtherKeys } from './subscription-store.ts'

/** Browsers that subscribed before the VAPID key changed get nothing until they subscribe again. */
export async function warnOfOtherKeys(app: App): Promise<void> {
  const count = await countOfOtherKeys(app.db, app.push.publicKey)
  if (count === 0) return
  app.log.warn(
    { count },
    'browsers subscribed with another VAPID key: this host sends them no push until they subscribe again',
  )
}
