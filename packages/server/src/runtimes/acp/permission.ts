import type { PermissionOption, RequestPermissionResponse } from '@agentclientprotocol/sdk'

/**
 * Yes. For this once if possible: agents write what is allowed for ever into their settings, some of them into the
 * repository.
 */
export function choosePermission(options: readonly PermissionOption[]): RequestPermissionResponse {
  const option =
    options.find(({ kind }) => kind === 'allow_once') ?? options.find(({ kind }) => kind === 'allow_always')
  return { outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' } }
}
