import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../domain/app.ts'
import { findSignIn, type SignInRow, signInDays } from '../../domain/sign-ins/sign-in.ts'
import { cookie, cookieName, ownOriginOf, readCookie } from '../../platform/http/browser.ts'
import type { Checker } from '../../platform/http/guard.ts'
import { refuseUnlessReading } from '../../platform/http/key-check.ts'
import { privatePathOf } from '../../platform/http/private-path.ts'
import { refuse } from '../../platform/refusal.ts'
import { operatorActions } from '../health.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** With auth `operator`: everyone who has signed in with a key or a link may read it too. */
    isForSignedIn?: true
  }
  interface FastifyRequest {
    /** Of the browser. Undefined where pages are open and the browser gave no name. */
    signIn: SignInRow | undefined
  }
}

/** For routes that declare `operator`. */
export function operatorOrSignedIn(app: App, realm: Checker): Checker {
  return async (request, reply) => {
    if (request.routeOptions.config?.isForSignedIn) {
      const found = await signInOf(app, request)
      if (found && found.row.key_hash !== null) return
    }
    await realm(request, reply)
  }
}

/** For routes that declare `browser`: the cookie of a sign-in, or nothing where pages are open. Never a key. */
export function browserChecker(app: App): Checker {
  return async (request, reply) => {
    const found = await signInOf(app, request)
    if (!found && app.webAuth === 'session') refuse('unauthorized', 'Sign in first: with an API key or a one-time link')
    const row = found?.row
    request.signIn = row
    const isReadOnly = row?.key_scope === 'read'
    const personKey = row?.person_key ?? undefined
    request.browser = { signInId: row?.id, personKey, isReadOnly, origin: ownOriginOf(request) }
    if (isReadOnly && !isAboutItself(request)) refuseUnlessReading(request)
    if (isOperatorsOnly(request) && (row?.key_hash ?? null) === null && row?.is_operator !== true)
      refuse('unauthorized', "This needs the operator's password, or signing in with an API key")
    if (found?.isRenewed) keepCookie(request, reply, found.token)
  }
}

/** The sign-in of the browser that sent the request below its private path. */
export async function signInOf(app: App, request: FastifyRequest) {
  if (privatePathOf(request) === undefined) return undefined
  const token = readCookie(request.headers.cookie, cookieName)
  const found = token === undefined ? undefined : await findSignIn(app, token)
  return found && token !== undefined ? { ...found, token } : undefined
}

/** A browser may say its name and sign out, whatever its key may do. */
function isAboutItself({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.url?.startsWith('/web/session') === true
}

/** On open pages the actions of the health page need what they need on the health page itself. */
function isOperatorsOnly({ routeOptions }: FastifyRequest): boolean {
  return operatorActions.some((name) => routeOptions.url === `/web/v1/health/${name}`)
}

const maxAgeSeconds = signInDays * 86_400

export function keepCookie(request: FastifyRequest, reply: Pick<FastifyReply, 'header'>, token: string): void {
  const path = requirePrivatePath(request)
  reply.header('set-cookie', cookie(request, { value: token, path, maxAgeSeconds }))
}

export function dropCookie(request: FastifyRequest, reply: Pick<FastifyReply, 'header'>): void {
  const path = privatePathOf(request)
  if (path !== undefined) reply.header('set-cookie', cookie(request, { value: '', path, maxAgeSeconds: 0 }))
}

/** Refuses a request whose answer would have to give a cookie that other ports of the host get too. */
export function requirePrivatePath(request: FastifyRequest): string {
  const path = privatePathOf(request)
  if (path !== undefined) return path
  return refuse(
    'malformed_request',
    "Send this below the browser's private path: /web/~<secret>/session, with 22 to 128 letters, digits, - or _ as the secret",
  )
}
