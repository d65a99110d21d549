import { NameRequest, OperatorRequest, SignInRequest } from '@yardmaster/contract/sign-ins/fields'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { App } from '../../domain/app.ts'
import {
  endSignIn,
  isLink,
  makeOperator,
  nameSignIn,
  type Opened,
  presentSession,
  signInByKey,
  signInByLink,
  signInWithoutKey,
} from '../../domain/sign-ins/sign-in.ts'
import type { KeyCheck } from '../../platform/http/key-check.ts'
import type { OperatorRealm } from '../../platform/http/operator-realm.ts'
import { bodyOf } from '../../platform/http/request-body.ts'
import { refuse } from '../../platform/refusal.ts'
import { dropCookie, keepCookie, requirePrivatePath, signInOf } from './browser-checker.ts'

type Doors = { keys: KeyCheck; realm: OperatorRealm }

/** Signing in and out, and what a browser may say and ask about itself. */
export function registerSignIn(server: FastifyInstance, app: App, { keys, realm }: Doors): void {
  const address = '/web/session'
  const signedIn = (operation: string) => ({ config: { auth: 'browser', operation } }) as const

  server.post(address, { config: { auth: 'none', operation: 'browser_session.create' } }, async (request, reply) => {
    const asked = bodyOf(request, SignInRequest)
    // Before the link is used: it works once.
    requirePrivatePath(request)
    const { token, row } = await signIn(app, keys, request, asked)
    keepCookie(request, reply, token)
    request.signIn = row
    return reply.code(201).send({ session: presentSession(app, row) })
  })

  server.get(address, signedIn('browser_session.show'), async ({ signIn: row }, reply) =>
    reply.send({ session: presentSession(app, row) }),
  )

  server.patch(address, signedIn('browser_session.update'), async (request, reply) => {
    const { name } = bodyOf(request, NameRequest)
    const { id } = await ownSignIn(app, request, reply)
    return reply.send({ session: presentSession(app, await nameSignIn(app, id, name)) })
  })

  server.post(`${address}/operator`, signedIn('browser_session.become_operator'), async (request, reply) => {
    const { password } = bodyOf(request, OperatorRequest)
    realm.verify(password, request.ip)
    const { id } = await ownSignIn(app, request, reply)
    return reply.send({ session: presentSession(app, await makeOperator(app, id)) })
  })

  server.delete(address, signedIn('browser_session.delete'), async (request, reply) => {
    if (request.signIn) await endSignIn(app, request.signIn.id)
    dropCookie(request, reply)
    return reply.code(204).send()
  })
}

async function signIn(
  app: App,
  keys: KeyCheck,
  request: FastifyRequest,
  { key, name }: z.output<typeof SignInRequest>,
): Promise<Opened> {
  const earlier = (await signInOf(app, request))?.row.id
  const browser = { userAgent: request.headers['user-agent'], name, earlier }
  if (!isLink(key)) {
    const holder = await keys.find(key, request.ip)
    if (!holder) return refuse('unauthorized', 'That is not an API key of this server')
    return signInByKey(app, { key, keyId: holder.keyId }, browser)
  }
  const opened = await signInByLink(app, key, browser)
  if (opened) return opened
  keys.countWrong(key, request.ip)
  return refuse('unauthorized', 'That is not a link of this server; it may have been copied in part')
}

/** Where pages are open, a browser gets a sign-in when there is something to remember about it. */
async function ownSignIn(app: App, request: FastifyRequest, reply: FastifyReply): Promise<{ id: number }> {
  if (request.signIn) return request.signIn
  requirePrivatePath(request)
  const { token, row } = await signInWithoutKey(app, { userAgent: request.headers['user-agent'] })
  keepCookie(request, reply, token)
  return row
}
