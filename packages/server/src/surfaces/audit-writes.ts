import type { AuditEntry } from '@yardmaster/contract/audit/fields'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../domain/app.ts'
import { gatewayPath } from '../domain/workspaces/workspace.ts'
import { isBelow } from '../platform/http/is-below.ts'
import { formPaths } from '../platform/http/private-path.ts'

/** Records every request that may change something and says who sends it. Tools are recorded call by call. */
export function auditWrites(server: FastifyInstance, app: App): void {
  server.addHook('onResponse', (request, reply, done) => {
    const actor = isWrite(request) ? actorOf(request, reply) : undefined
    if (actor) {
      app.audit.record({
        ...actor,
        operation: operationOf(request),
        target: targetOf(request) ?? null,
        surface: surfaceOf(request),
        address: request.ip ?? null,
        status: reply.statusCode,
        request_id: request.id,
      })
    }
    done()
  })
}

/** What a path with parameters leads to: `sessions/12` for `/sessions/{id}/archive`. Never a secret of the path. */
export function targetIn(path: string, params: unknown, createdId?: string | number | null): string | undefined {
  const parts = path
    .replace(/^\/(api\/v1|web\/v1|api|web|supervisor)\//, '')
    .split('/')
    .filter(Boolean)
  const isParameter = (part: string): boolean => /^(:|\{)(?!operation\b)/.test(part)
  const last = parts.findLastIndex(isParameter)
  if (createdId !== undefined && createdId !== null)
    return [...parts.map((part) => filledIn(part, params)), createdId].join('/')
  if (last === -1) return undefined
  return parts
    .slice(0, last + 1)
    .map((part) => filledIn(part, params))
    .join('/')
}

function filledIn(part: string, params: unknown): string {
  const [, name] = /^[:{](\w+)\}?$/.exec(part) ?? []
  if (name === undefined) return part
  return name === 'token' ? '…' : String(Reflect.get(Object(params), name) ?? '')
}

/** An address without a route changes nothing. What agents send to MCP servers through us changes nothing here. */
function isWrite({ method, is404, routeOptions: { url = '', config } }: FastifyRequest): boolean {
  const isRead = !config?.isWrite && (method === 'GET' || method === 'HEAD' || method === 'OPTIONS')
  return !isRead && !is404 && url !== '/mcp' && !isBelow(gatewayPath, { url })
}

type Actor = Pick<AuditEntry, 'actor_kind' | 'actor' | 'key' | 'session_id'>

/** Undefined for a caller who did not prove who it is: strangers must not be able to fill the log. */
function actorOf(request: FastifyRequest, reply: FastifyReply): Actor | undefined {
  const { keyHolder, browser, signIn, routeOptions } = request
  const none = { key: null, session_id: null }
  if (keyHolder) return { ...none, actor_kind: 'key', actor: keyHolder.label, key: keyHolder.label }
  if (signIn || browser) {
    const label = signIn?.key_label ?? null
    const name = signIn?.display_name ?? label ?? (signIn ? `sign-in ${signIn.id}` : 'open pages')
    return { ...none, actor_kind: 'person', actor: name, key: label }
  }
  if (reply.statusCode === 401 || reply.statusCode === 429) return undefined
  const { auth, signedBy } = routeOptions.config ?? {}
  if (auth === 'operator') return { ...none, actor_kind: 'operator', actor: 'operator' }
  if (reply.statusCode >= 400) return undefined
  if (auth === 'webhook') return { ...none, actor_kind: 'webhook', actor: signedBy ?? '' }
  if (auth === 'elicitation_token') return { ...none, actor_kind: 'agent', actor: 'a question of a session' }
  return { ...none, actor_kind: 'anonymous', actor: 'anyone' }
}

function operationOf({ routeOptions, params, method }: FastifyRequest): string {
  const named = routeOptions.config?.operation ?? Reflect.get(Object(params), 'operation')
  return typeof named === 'string' ? named : `${method} ${routeOptions.url}`
}

function targetOf({ routeOptions, params, createdId, about }: FastifyRequest): string | undefined {
  return about ?? targetIn(routeOptions.url ?? '', params, createdId)
}

function surfaceOf({ routeOptions: { url = '', config } }: FastifyRequest): AuditEntry['surface'] {
  if (['/web', ...formPaths].some((path) => isBelow(path, { url }))) return 'web'
  return config?.auth === 'operator' || !isBelow('/api', { url }) ? 'operator' : 'api'
}
