import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../domain/app.ts'
import { findSignIn, type SignInRow, signInDays } from '../../domain/sign-ins/sign-in.ts'
import { cookie, cookieName, readCookie } from '../../platform/http/browser.ts'
import type { Checker } from '../../platform/http/guard.ts'
import { refuse } from '../../platform/refusal.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the browser. Undefined where pages are open and the browser gave no name. */
    signIn: SignInRow | undefined
  }
}

/** For routes that declare `browser`: the cookie of a sign-in, or nothing where pages are open. Never a key. */
export function browserChecker(app: App): Checker {
  return async (request, reply) => {
    const token = readCookie(request.headers.cookie, cookieName(request))
    const found = token === undefined ? undefined : await findSignIn(app, token)
    if (!found && app.webAuth === 'session') refuse('unauthorized', 'Sign in first: with an API key or a one-time link')
    const row = found?.row
    request.signIn = row
    request.browser = { signInId: row?.id, personKey: row?.person_key ?? undefined }
    if (found?.isRenewed && token !== undefined) keepCookie(request, reply, token)
  }
}

const maxAgeSeconds = signInDays * 86_400

export function keepCookie(request: FastifyRequest, reply: Pick<FastifyReply, 'header'>, token: string): void {
  reply.header('set-cookie', cookie(request, { value: token, path: '/web', maxAgeSeconds }))
}

export function dropCookie(request: FastifyRequest, reply: Pick<FastifyReply, 'header'>): void {
  reply.header('set-cookie', cookie(request, { value: '', path: '/web', maxAgeSeconds: 0 }))
}
