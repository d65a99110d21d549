import * as contract from '@yardmaster/contract/catalog/endpoints'
import { ok } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import {
  listHooks,
  listPlugins,
  listSecretNames,
  listServers,
  listSkills,
  presentCatalog,
  presentConfigs,
} from './present-catalog.ts'

export const endpoints = [
  bind(contract.showConfigs, async (_request, app) => ok(await presentConfigs(app))),
  bind(contract.showCatalog, async (_request, app) => ok({ catalog: presentCatalog(app) })),
  bind(contract.refreshCatalog, async (_request, app) => {
    await app.catalog.refresh()
    return ok({ catalog: presentCatalog(app) })
  }),
  bind(contract.listMcpServers, async (_request, app) => ok({ mcp_servers: await listServers(app) })),
  bind(contract.listSkills, async (_request, app) => ok({ skills: listSkills(app) })),
  bind(contract.listHooks, async (_request, app) => ok({ hooks: listHooks(app) })),
  bind(contract.listPlugins, async (_request, app) => ok({ plugins: listPlugins(app) })),
  bind(contract.listSecrets, async (_request, app) => ok({ secrets: listSecretNames(app) })),
]
