import * as contract from '@yardmaster/contract/accounts/endpoints'
import { noContent, ok } from '../../platform/http/answer.ts'
import { refuseMissing } from '../../platform/refusal.ts'
import { type App, bind } from '../app.ts'
import { deleteProviderKey, listProviderKeys, setProviderKey } from './provider-keys.ts'

export const endpoints = [
  bind(contract.listProviderKeys, async (_request, app) => ok({ provider_keys: await listProviderKeys(app) })),
  bind(
    contract.setProviderKey,
    async ({ params, body }, app) => ok({ provider_key: await setProviderKey(app, params.runtime, body.key) }),
    findRuntime,
  ),
  bind(
    contract.deleteProviderKey,
    async ({ params }, app) => {
      await deleteProviderKey(app, params.runtime)
      return noContent()
    },
    findRuntime,
  ),
]

async function findRuntime({ runtime }: { runtime: string }, app: App): Promise<void> {
  if (!app.runtimes.find(runtime)) refuseMissing()
}
