import type { Sender } from '@yardmaster/contract/endpoint'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { findKeyHolder } from '../domain/api-keys/api-key.ts'
import type { App } from '../domain/app.ts'
import { verifyToken } from '../domain/elicitations/elicitation.ts'
import { isTurnKey } from '../domain/inbox/inbox.ts'
import { apiKeys } from '../platform/http/api-keys.ts'
import { formTokens } from '../platform/http/form-tokens.ts'
import type { Checker } from '../platform/http/guard.ts'
import { apiKeyChecker, type KeyCheck, keyCheck } from '../platform/http/key-check.ts'
import { operatorRealm } from '../platform/http/operator-realm.ts'
import { registerPageKit } from '../platform/http/pages.ts'
import { registerEndpoints } from '../platform/http/register.ts'
import { type HttpTimeouts, openHttpServer } from '../platform/http/server.ts'
import type { WebhookChecker } from '../platform/http/signed-body.ts'
import { errnoOf } from '../platform/process/errno.ts'
import { Refusal, refuse } from '../platform/refusal.ts'
import { StartupError } from '../platform/startup-error.ts'
import { chatSignature, forgeSignature, type SignatureCheck } from '../platform/webhooks/signature.ts'
import { auditWrites } from '../surfaces/audit-writes.ts'
import { registerHealth } from '../surfaces/health.ts'
import { registerMcp } from '../surfaces/mcp/mcp.ts'
import { registerMcpGateway } from '../surfaces/mcp-gateway.ts'
import { metrics } from '../surfaces/metrics.ts'
import { registerJobsPages } from '../surfaces/operator/jobs/jobs-pages.ts'
import { registerSupervisorPages } from '../surfaces/operator/supervisor/supervisor-pages.ts'
import { registerSocialPages } from '../surfaces/operator/x-oauth-pages.ts'
import { registerProbes } from '../surfaces/probes.ts'
import { registerReference } from '../surfaces/reference.ts'
import { browserChecker, operatorOrSignedIn } from '../surfaces/web/browser-checker.ts'
import { openDashboard } from '../surfaces/web/dashboard.ts'
import { registerOauthPages } from '../surfaces/web/oauth-pages.ts'
import { closeEndedStreams } from '../surfaces/web/open-streams.ts'
import { registerSignIn } from '../surfaces/web/sign-in-routes.ts'
import type { Config } from './config.ts'
import { modules } from './modules.ts'

type Platforms = Pick<Config, 'CHAT_TOKEN' | 'CHAT_SIGNING_SECRET' | 'FORGE_TOKEN' | 'FORGE_WEBHOOK_SECRET'>

export type WebOptions = {
  config: Pick<
    Config,
    | 'HOST'
    | 'PORT'
    | 'APP_HOST'
    | 'TRUSTED_PROXIES'
    | 'SERVICE_URL'
    | 'SUPERVISOR_USERNAME'
    | 'SUPERVISOR_PASSWORD'
    | keyof Platforms
  >
  keys: readonly string[]
  timeouts?: HttpTimeouts
  isChecking?: boolean
  /** Where the built dashboard is. */
  dashboardFolder?: string
}

export type Web = {
  server: FastifyInstance
  url: string
  /** Where people open the dashboard. */
  dashboardUrl: string
}

/** Everything that is reached over HTTP, listening. */
export async function openWeb(app: App, options: WebOptions): Promise<Web> {
  const { config, keys, timeouts, isChecking = false, dashboardFolder } = options
  const dashboard = openDashboard(dashboardFolder)
  const endpoints = modules.flatMap((module) => module.endpoints ?? [])
  const tokens = formTokens(config.SUPERVISOR_PASSWORD)
  const realm = operatorRealm({
    username: config.SUPERVISOR_USERNAME,
    password: config.SUPERVISOR_PASSWORD,
    log: app.log,
  })
  const findStored = (key: string) => findKeyHolder(app, key)
  const check = keyCheck(apiKeys(keys), { log: app.log, isOfOtherKind: isTurnKey, findStored })
  const named = [config.APP_HOST ?? [], config.SERVICE_URL ? new URL(config.SERVICE_URL).host : []].flat()
  const server = openHttpServer({
    log: app.log,
    metrics: app.metrics,
    tracing: app.tracing,
    checkers: {
      api_key: apiKeyChecker(check),
      operator: operatorOrSignedIn(app, realm.check),
      browser: browserChecker(app),
      elicitation_token: elicitationTokenChecker(app, check),
      webhook: webhookChecker(app, config),
    },
    hosts: [config.HOST, ...named],
    trustedProxies: trustedBy(config),
    ...(timeouts && { timeouts }),
    fallback: dashboard.fallback,
  })
  closeEndedStreams(server, app)
  auditWrites(server, app)
  registerEndpoints(server, endpoints, { app, isChecking })
  const forPeople = modules.flatMap((module) => module.forPeople ?? [])
  const forBrowsers = [...endpoints.filter(({ auth }) => auth === 'api_key'), ...forPeople]
  registerEndpoints(server, forBrowsers, { app, isChecking, surface: 'web' })
  registerSignIn(server, app, { keys: check, realm })
  registerOauthPages(server, app)
  registerMcpGateway(server, app)
  dashboard.register(server)
  registerProbes(server, app)
  registerPageKit(server)
  registerHealth(server, app, { keys: check, realm })
  registerReference(server, endpoints)
  registerJobsPages(server, app, tokens)
  const forOperator = modules.flatMap((module) => module.forOperator ?? [])
  registerSupervisorPages(server, app, { endpoints: [...endpoints, ...forPeople, ...forOperator], tokens })
  registerSocialPages(server, app, tokens)
  registerMcp(server, app, {
    endpoints,
    tools: modules.flatMap(({ tools = [] }) => tools),
    keys: check,
    hosts: named,
  })
  const url = await listen(server, config)
  // A name of its own is the name of a proxy that ends TLS.
  return { server, url, dashboardUrl: config.APP_HOST === undefined ? url : `https://${config.APP_HOST}` }
}

function trustedBy({ APP_HOST, TRUSTED_PROXIES }: WebOptions['config']): string[] {
  return [...(APP_HOST === undefined ? [] : ['loopback']), ...TRUSTED_PROXIES]
}

/** What a host that answers no requests still tells: whether it is up, and its metrics. */
export async function openWorkerWeb(
  app: App,
  { config, keys, port }: Pick<WebOptions, 'config' | 'keys'> & { port: number },
): Promise<{ server: FastifyInstance; url: string }> {
  const findStored = (key: string) => findKeyHolder(app, key)
  const server = openHttpServer({
    log: app.log,
    metrics: app.metrics,
    checkers: { api_key: apiKeyChecker(keyCheck(apiKeys(keys), { log: app.log, findStored })) },
    hosts: [config.HOST, config.APP_HOST ?? []].flat(),
    trustedProxies: trustedBy(config),
  })
  registerEndpoints(server, metrics.endpoints ?? [], { app, isChecking: false })
  registerProbes(server, app)
  return { server, url: await listen(server, { ...config, PORT: port }) }
}

/**
 * The token is in the path. A key that is sent besides it makes no difference. Guesses count as wrong keys; a right token is
 * accepted whatever its network sent before.
 */
function elicitationTokenChecker(app: App, keys: KeyCheck): Checker {
  return async ({ params, ip }) => {
    const token = String(Reflect.get(Object(params), 'token'))
    try {
      await verifyToken(app, token)
    } catch (error) {
      if (error instanceof Refusal) keys.countWrong(token, ip)
      throw error
    }
  }
}

/** A platform is admitted when both its token and the secret of its signatures are configured. */
function webhookChecker({ clock }: Pick<App, 'clock'>, config: Platforms): WebhookChecker {
  const { CHAT_TOKEN, CHAT_SIGNING_SECRET, FORGE_TOKEN, FORGE_WEBHOOK_SECRET } = config
  const checks: Partial<Record<Sender, SignatureCheck>> = {
    ...(CHAT_TOKEN && CHAT_SIGNING_SECRET && { chat: chatSignature(CHAT_SIGNING_SECRET, () => clock.now()) }),
    ...(FORGE_TOKEN && FORGE_WEBHOOK_SECRET && { forge: forgeSignature(FORGE_WEBHOOK_SECRET) }),
  }
  const checkOf = ({ routeOptions }: FastifyRequest): SignatureCheck => {
    const sender = routeOptions.config?.signedBy
    if (sender === undefined) throw new Error('a route with auth webhook does not say who signs its requests')
    return checks[sender] ?? refuse(`${sender}_unconfigured`, unconfigured[sender])
  }
  return {
    admit: (request) => void checkOf(request),
    check: (request, body) => checkOf(request)({ headers: request.headers, body }),
  }
}

const unconfigured: Record<Sender, string> = {
  chat: 'Set CHAT_TOKEN and CHAT_SIGNING_SECRET to receive events of the chat platform',
  forge: 'Set FORGE_TOKEN and FORGE_WEBHOOK_SECRET to receive events of the forge',
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
