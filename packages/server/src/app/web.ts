import type { FastifyInstance } from 'fastify'
import type { App } from '../domain/app.ts'
import { isTurnKey } from '../domain/inbox/inbox.ts'
import { apiKeys } from '../platform/http/api-keys.ts'
import { apiKeyChecker, keyCheck } from '../platform/http/key-check.ts'
import { registerEndpoints } from '../platform/http/register.ts'
import { type HttpTimeouts, openHttpServer } from '../platform/http/server.ts'
import { errnoOf } from '../platform/process/errno.ts'
import { StartupError } from '../platform/startup-error.ts'
import { registerMcp } from '../surfaces/mcp/mcp.ts'
import { registerProbes } from '../surfaces/probes.ts'
import { registerReference } from '../surfaces/reference.ts'
import type { Config } from './config.ts'
import { modules } from './modules.ts'

export type WebOptions = {
  config: Pick<Config, 'HOST' | 'PORT' | 'APP_HOST' | 'SERVICE_URL'>
  keys: readonly string[]
  timeouts?: HttpTimeouts
  isChecking?: boolean
}

/** Everything that is reached over HTTP, listening. */
export async function openWeb(app: App, options: WebOptions): Promise<{ server: FastifyInstance; url: string }> {
  const { config, keys, timeouts, isChecking = false } = options
  const endpoints = modules.flatMap((module) => module.endpoints ?? [])
  const check = keyCheck(apiKeys(keys), { log: app.log, isOfOtherKind: isTurnKey })
  const named = [config.APP_HOST ?? [], config.SERVICE_URL ? new URL(config.SERVICE_URL).host : []].flat()
  const server = openHttpServer({
    log: app.log,
    checkers: { api_key: apiKeyChecker(check) },
    hosts: [config.HOST, ...named],
    isProxied: config.APP_HOST !== undefined,
    ...(timeouts && { timeouts }),
  })
  registerEndpoints(server, endpoints, { app, isChecking })
  registerProbes(server, app)
  registerReference(server, endpoints)
  registerMcp(server, app, {
    endpoints,
    tools: modules.flatMap(({ tools = [] }) => tools),
    keys: check,
    hosts: named,
  })
  return { server, url: await listen(server, config) }
}

async function listen(server: FastifyInstance, { HOST, PORT }: WebOptions['config']): Promise<string> {
  try {
    return await server.listen({ host: HOST, port: PORT })
  } catch (error) {
    await server.close()
    if (errnoOf(error) === 'EADDRINUSE')
      throw new StartupError(`Port ${PORT} on ${HOST} is taken by another program; set PORT to a free one.`)
    if (errnoOf(error) === 'EACCES')
      throw new StartupError(`Port ${PORT} on ${HOST} may not be used by this user; set PORT to one above 1023.`)
    if (errnoOf(error) === 'EADDRNOTAVAIL' || errnoOf(error) === 'ENOTFOUND')
      throw new StartupError(`HOST ${HOST} is not an address of this machine.`)
    throw error
  }
}
