import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { CatalogHook, CatalogPlugin, CatalogServer, CatalogSkill, CatalogState, Configs, SecretName } from './fields.ts'

const tag = 'Catalog'

/** The whole list: a catalog has no pages. */
function all<Item extends z.ZodType>(item: Item) {
  return z.array(item).meta({ description: 'All of them.' })
}

export const showConfigs = defineEndpoint({
  name: 'configs.show',
  auth: 'api_key',
  method: 'GET',
  path: '/configs',
  tag,
  summary: 'Show what a new session can be given',
  description:
    'Carries an `ETag`: with `If-None-Match` it answers 304 while nothing has changed. When the files of the catalog are invalid, the last valid ones are shown and `GET /catalog` says why.',
  isTagged: true,
  answers: { 200: Configs, 304: 'nothing' },
})

export const showCatalog = defineEndpoint({
  name: 'catalog.show',
  auth: 'api_key',
  method: 'GET',
  path: '/catalog',
  tag,
  summary: 'Show the state of the catalog and what is wrong with its files',
  answers: { 200: z.object({ catalog: CatalogState.meta({ description: 'The state of the catalog.' }) }) },
})

export const refreshCatalog = defineEndpoint({
  name: 'catalog.refresh',
  auth: 'api_key',
  method: 'POST',
  path: '/catalog/refresh',
  tag,
  summary: 'Read the files of the catalog again, if they have changed',
  description:
    'Every host does that by itself within seconds. This host answers when it has done it; invalid files leave the last valid catalog in force.',
  answers: { 200: z.object({ catalog: CatalogState.meta({ description: 'The state of the catalog.' }) }) },
})

export const listMcpServers = defineEndpoint({
  name: 'mcp_servers.list',
  auth: 'api_key',
  method: 'GET',
  path: '/mcp_servers',
  tag,
  summary: 'List the MCP servers of the catalog',
  description: 'A server that cannot start now is listed too, with the reason.',
  answers: { 200: z.object({ mcp_servers: all(CatalogServer) }) },
})

export const listSkills = defineEndpoint({
  name: 'skills.list',
  auth: 'api_key',
  method: 'GET',
  path: '/skills',
  tag,
  summary: 'List the skills of the catalog',
  answers: { 200: z.object({ skills: all(CatalogSkill) }) },
})

export const listHooks = defineEndpoint({
  name: 'hooks.list',
  auth: 'api_key',
  method: 'GET',
  path: '/hooks',
  tag,
  summary: 'List the hooks of the catalog',
  answers: { 200: z.object({ hooks: all(CatalogHook) }) },
})

export const listPlugins = defineEndpoint({
  name: 'plugins.list',
  auth: 'api_key',
  method: 'GET',
  path: '/plugins',
  tag,
  summary: 'List the plugins of the catalog and what each brings',
  answers: { 200: z.object({ plugins: all(CatalogPlugin) }) },
})

export const listSecrets = defineEndpoint({
  name: 'secrets.list',
  auth: 'api_key',
  method: 'GET',
  path: '/api/secrets/keys',
  tag,
  summary: 'List the names of the secrets that catalog entries can use',
  description: 'Never their values. The path is outside of the versioned API.',
  answers: { 200: z.object({ secrets: all(SecretName) }) },
})

export const endpoints = [
  showConfigs,
  showCatalog,
  refreshCatalog,
  listMcpServers,
  listSkills,
  listHooks,
  listPlugins,
  listSecrets,
] as const
