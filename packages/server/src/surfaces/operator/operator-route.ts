import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Html } from '../../platform/html/html.ts'
import type { Page } from '../../platform/html/page.ts'
import { actionForm, type Field } from '../../platform/html/parts.ts'
import { Form } from '../../platform/http/form-body.ts'
import { type FormTokens, tokenField } from '../../platform/http/form-tokens.ts'
import { sendPage } from '../../platform/http/pages.ts'
import { privately } from '../../platform/http/private-path.ts'
import { problemReply } from '../../platform/http/problem-reply.ts'
import { signalOf } from '../../platform/http/register.ts'
import { Refusal, refuse } from '../../platform/refusal.ts'

export type Address = { params: Readonly<Record<string, string>>; query: Readonly<Record<string, string>> }
export type Filled = Readonly<Record<string, string>>

/** Serves a page that only a person with the operator's password sees, or also everyone who is signed in to the dashboard. */
export function servePage(
  server: FastifyInstance,
  url: string,
  render: (address: Address) => Promise<Page | { redirect: string }>,
  { isForSignedIn = false }: { isForSignedIn?: boolean } = {},
): void {
  const config = { ...guarded.config, ...(isForSignedIn && { isForSignedIn: true as const }) }
  server.get(url, { config }, async (request, reply) => {
    const page = await render(addressOf(request))
    return 'redirect' in page ? reply.redirect(page.redirect) : sendPage(reply, page)
  })
}

type Return = {
  url: string
  operation: string
  /** Returns where to go on, and what it was about. */
  perform(address: Address): Promise<{ redirect: string; about: string }>
}

/** Serves what another site sends the operator back to. It changes something, although a browser can only send a GET there. */
export function serveReturn(server: FastifyInstance, { url, operation, perform }: Return): void {
  server.get(url, { config: { ...guarded.config, operation, isWrite: true } }, async (request, reply) => {
    const { redirect, about } = await perform(addressOf(request))
    request.about = about
    return reply.redirect(redirect)
  })
}

type Action = {
  url: string
  /** The name of what it does, where its address does not say it. */
  operation?: string
  tokens: FormTokens
  /** Returns where to go on, here or elsewhere, or a page that is shown once. */
  perform(address: Address, filled: Filled, signal: AbortSignal): Promise<string | { elsewhere: string } | Page>
  /** The page of the form, with the refusal and with what was filled in. */
  renderRefused(address: Address, filled: Filled, refusal: Refusal): Promise<Page>
}

/**
 * Serves what a form posts to. After a success the browser is sent to a page, so that reloading it repeats nothing. A refusal
 * is answered with the page of the form.
 */
export function serveAction(server: FastifyInstance, action: Action): void {
  const { url, operation, tokens, perform, renderRefused } = action
  const config = { ...guarded.config, ...(operation !== undefined && { operation }) }
  server.post(url, { config }, async (request, reply) => {
    const address = addressOf(request)
    const filled = readFilled(request, tokens)
    try {
      const next = await perform(address, filled, signalOf(reply))
      if (typeof next === 'string') return reply.redirect(privately(request, next), 303)
      return 'elsewhere' in next ? reply.redirect(next.elsewhere) : sendPage(reply, next)
    } catch (error) {
      if (!(error instanceof Refusal) || error.kind === 'not_found') throw error
      return sendRefused(reply, error, await renderRefused(address, filled, error))
    }
  })
}

const guarded = { config: { auth: 'operator', isPage: true } } as const

function sendRefused(reply: FastifyReply, refusal: Refusal, page: Page): FastifyReply {
  return sendPage(reply.code(problemReply(refusal).status), page)
}

/** A name that is given twice in a query counts once. */
function addressOf({ params, query }: FastifyRequest): Address {
  return { params: texts(params), query: texts(query) }
}

function texts(values: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(Object(values)).map(([name, value]) => [name, String([value].flat().at(-1))]),
  )
}

/** The fields of a form of ours. Browsers send line breaks as two characters. */
function readFilled(request: FastifyRequest, tokens: FormTokens): Filled {
  const { body } = request
  if (body instanceof Refusal) throw body
  if (!(body instanceof Form)) return refuse('unsupported_content_type', 'Send the fields of the form')
  const { [tokenField]: token, ...filled } = texts(Object.fromEntries(body.fields))
  tokens.check(request.url.split('?', 1)[0] ?? '', token)
  return Object.fromEntries(Object.entries(filled).map(([name, value]) => [name, value.replace(/\r\n?/g, '\n')]))
}

type Guarded = { action: string; button: string; fields?: readonly Field[]; isDangerous?: boolean }

/** A form that `serveAction` accepts. */
export function guardedForm(tokens: FormTokens, { action, ...form }: Guarded, hidden: Filled = {}): Html {
  return actionForm({ ...form, action, hidden: { ...hidden, [tokenField]: tokens.for(action) } })
}
