import type { PermissionOption, RequestPermissionResponse } from '@agentclientprotocol/sdk'

/**
 * Yes or no, for this once if possible: agents write what is allowed for ever into their settings, some of them into the
 * repository.
 */
export function answerPermission(options: readonly PermissionOption[], isGranted: boolean): RequestPermissionResponse {
  const answer = isGranted ? 'allow' : 'reject'
  const option =
    options.find(({ kind }) => kind === `${answer}_once`) ?? options.find(({ kind }) => kind === `${answer}_always`)
  return { outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' } }
}
