import type { PermissionOption, RequestPermissionResponse } from '@agentclientprotocol/sdk'

/** Prefers an option for this call only: agents save a permanent one to their settings, some in the repository. */
export function answerPermission(options: readonly PermissionOption[], isGranted: boolean): RequestPermissionResponse {
  const answer = isGranted ? 'allow' : 'reject'
  const option =
    options.find(({ kind }) => kind === `${answer}_once`) ?? options.find(({ kind }) => kind === `${answer}_always`)
  return { outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' } }
}
