import { CatalogHook, CatalogPlugin, CatalogServer, CatalogSkill, Configs } from '@yardmaster/contract/catalog/fields'
import { z } from 'zod'
import { ok } from '../../platform/http/answer.ts'
import { defineEndpoint } from '../app.ts'
import { listHooks, listPlugins, listServers, listSkills, presentConfigs } from './present-catalog.ts'

const tag = 'Catalog'

/** An endpoint that lists a whole catalog kind, without paging. */
function all<Item extends z.ZodType>(item: Item) {
  return z.array(item).meta({ description: 'All that the catalog has.' })
}

export const endpoints = [
  defineEndpoint({
    method: 'GET',
    path: '/configs',
    tag,
    summary: 'Show all that a new session can be given',
    description:
      'Carries an `ETag`: with `If-None-Match` it answers 304 while nothing has changed. When the files of the catalog cannot be used, `catalog` says so and the last good ones are shown.',
    isTagged: true,
    answers: { 200: Configs, 304: 'nothing' },
    handle: async (_request, app) => ok(await presentConfigs(app)),
  }),
  defineEndpoint({
    method: 'GET',
    path: '/mcp_servers',
    tag,
    summary: 'List the MCP servers of the catalog',
    description: 'One that cannot start now is listed too, with the reason.',
    answers: { 200: z.object({ mcp_servers: all(CatalogServer) }) },
    handle: async (_request, app) => ok({ mcp_servers: await listServers(app) }),
  }),
  defineEndpoint({
    method: 'GET',
    path: '/skills',
    tag,
    summary: 'List the skills of the catalog',
    answers: { 200: z.object({ skills: all(CatalogSkill) }) },
    handle: async (_request, app) => ok({ skills: listSkills(app) }),
  }),
  defineEndpoint({
    method: 'GET',
    path: '/hooks',
    tag,
    summary: 'List the hooks of the catalog',
    answers: { 200: z.object({ hooks: all(CatalogHook) }) },
    handle: async (_request, app) => ok({ hooks: listHooks(app) }),
  }),
  defineEndpoint({
    method: 'GET',
    path: '/plugins',
    tag,
    summary: 'List the plugins of the catalog and what each brings',
    answers: { 200: z.object({ plugins: all(CatalogPlugin) }) },
    handle: async (_request, app) => ok({ plugins: listPlugins(app) }),
  }),
]
