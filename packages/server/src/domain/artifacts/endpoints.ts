import * as contract from '@yardmaster/contract/lifecycle/artifact-endpoints'
import { ok } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import type { ArtifactList } from '../catalog/catalog.ts'
import { changeArtifacts } from './change-artifacts.ts'
import { listRules } from './list-rules.ts'

const declarations = {
  mcp_servers: contract.updateMcpServers,
  catalog_skills: contract.updateSkills,
  catalog_hooks: contract.updateHooks,
  catalog_plugins: contract.updatePlugins,
}

/** One endpoint for each of the four lists. */
export const endpoints = listRules.map((rules) => {
  const { list, message, bringsServers } = rules
  return bind(declarations[list], async ({ params, body }, app) => {
    const { session, needsAuthorization } = await changeArtifacts(app, params.id, rules, namesIn(body, list))
    const needs = { oauth_required: needsAuthorization.length > 0, oauth_required_servers: needsAuthorization }
    return ok({ session, message, ...(bringsServers && needs) })
  })
})

/** Each of the four declarations has a body with just its own list. */
function namesIn(body: Partial<Record<ArtifactList, string[]>>, list: ArtifactList): string[] {
  return body[list] ?? []
}
