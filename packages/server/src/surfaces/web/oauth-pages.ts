import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../domain/app.ts'
import { serversOf } from '../../domain/catalog/catalog.ts'
import {
  beginFlow,
  type Completed,
  completeFlow,
  completePasted,
  disconnect,
  findBegun,
  type NextStep,
  sessionStatus,
} from '../../domain/connectors/connector.ts'
import { findSession } from '../../domain/sessions/session.ts'
import { findSignInById } from '../../domain/sign-ins/sign-in.ts'
import { html } from '../../platform/html/html.ts'
import type { Page } from '../../platform/html/page.ts'
import { actionForm, notice } from '../../platform/html/parts.ts'
import { Form } from '../../platform/http/form-body.ts'
import { sendPage } from '../../platform/http/pages.ts'
import { Refusal, refuse, refuseMissing } from '../../platform/refusal.ts'

const signedIn = { auth: 'browser', isPage: true } as const

/** How a person authorizes an MCP server without the dashboard's script, and where authorization servers send them back to. */
export function registerOauthPages(server: FastifyInstance, app: App): void {
  const initiating = { config: { ...signedIn, operation: 'connectors.authorize' } }
  server.post('/mcp_oauth/initiate', initiating, async (request, reply) => {
    const { server_name: serverName = '', session_id } = fieldsOf(request)
    request.about = aboutServer(serverName)
    const sessionId = session_id ? Number(session_id) : undefined
    if (sessionId !== undefined && !Number.isSafeInteger(sessionId)) refuseMissing()
    return orPage(reply, 'Authorization not begun', async () => {
      const from = { signInId: request.browser?.signInId, returnOrigin: request.browser?.origin }
      const step = await beginFlow(app, { serverName, sessionId, ...from, again: false })
      if (step.kind === 'paste') return sendPage(reply, pastePage(step))
      return reply.redirect(
        step.kind === 'consent' ? step.url : placeOf({ ...step, sessionId: sessionId ?? null }),
        302,
      )
    })
  })

  // The authorization server sends the browser here, so it sends no cookie: the state proves which person began. They may have
  // begun under another name of this server than the one it registered, and only there are they signed in.
  const completing = { ...signedIn, operation: 'connectors.complete' }
  const returning = { config: { ...completing, auth: 'none', isWrite: true } } as const
  server.get('/mcp_oauth/callback', returning, async (request, reply) => {
    const { state = '', ...returned } = texts(request.query)
    const begun = await findBegun(app.db, state)
    const origin = begun?.return_origin ?? ''
    if (begun) {
      request.about = aboutServer(begun.server_name)
      if (begun.sign_in_id !== null) request.signIn = await findSignInById(app, begun.sign_in_id)
    }
    const complete = async (): Promise<FastifyReply> => {
      if (state === '') refuse('cannot_authorize', 'The address has no state. Begin again.')
      return reply.redirect(origin + placeOf(await completeFlow(app, state, returned)), 302)
    }
    return orPage(reply, 'Not authorized', complete, origin)
  })

  server.post('/mcp_oauth/complete', { config: completing }, (request, reply) => {
    const { state = '', redirect_response: pasted = '' } = fieldsOf(request)
    return orPage(reply, 'Not authorized', async () => {
      const done = await completePasted(app, state, pasted, { signInId: request.browser?.signInId })
      request.about = aboutServer(done.serverName)
      return reply.redirect(placeOf(done), 302)
    })
  })

  const looking = { config: signedIn }
  server.get<{ Params: { session_id: string } }>('/mcp_oauth/status/:session_id', looking, async (request, reply) => {
    const id = /^\d{1,15}$/.test(request.params.session_id) ? Number(request.params.session_id) : 0
    const session = await findSession(app.db, { id })
    return reply.send(await sessionStatus(app, serversOf(app.catalog.current(), session)))
  })

  const disconnecting = { config: { ...signedIn, operation: 'connectors.disconnect' } }
  server.delete<{ Params: { id: string } }>('/connector_credentials/:id', disconnecting, async (request, reply) => {
    const { id } = request.params
    if (!/^[0-9a-f-]{36}$/.test(id)) refuseMissing()
    await disconnect(app, id)
    return reply.redirect('/connectors', 303)
  })
}

function aboutServer(name: string): string {
  return `connectors/${name}`
}

function placeOf({ serverName, sessionId }: Pick<Completed, 'serverName' | 'sessionId'>): string {
  const place = sessionId === null ? '/connectors' : `/sessions/${sessionId}`
  return `${place}?authorized=${encodeURIComponent(serverName)}`
}

/** What went wrong is a page with the reason, as a form's answer must be one. */
async function orPage(
  reply: FastifyReply,
  title: string,
  work: () => Promise<FastifyReply>,
  origin = '',
): Promise<FastifyReply> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== 'cannot_authorize') throw error
    const back = html`<p><a href="${origin}/connectors">Back to the connectors</a></p>`
    const body = html`${notice(error.messages.join(' '), 'bad')}${back}`
    return sendPage(reply.code(400), { title, body })
  }
}

function pastePage({ url, state, serverName }: Extract<NextStep, { url: string }>): Page {
  return {
    title: `Authorize ${serverName}`,
    lead: 'This authorization server sends you to an address that is not ours.',
    body: html`<ol>
        <li><a href="${url}" target="_blank" rel="noreferrer noopener">Give your consent</a> in another tab.</li>
        <li>Copy the whole address of the page that you land on, even if it shows an error.</li>
        <li>Paste it here.</li>
      </ol>
      ${actionForm({
        action: '/mcp_oauth/complete',
        button: 'Complete',
        hidden: { state },
        fields: [{ name: 'redirect_response', label: 'Address, or code', type: 'area' }],
      })}`,
  }
}

function fieldsOf({ body }: FastifyRequest): Record<string, string> {
  if (body instanceof Refusal) throw body
  return texts(body instanceof Form ? Object.fromEntries(body.fields) : body)
}

/** Only texts: a name that is given twice counts once. */
function texts(values: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(Object(values)).flatMap(([name, value]) => {
      const last: unknown = [value].flat().at(-1)
      return typeof last === 'string' || typeof last === 'number' ? [[name, String(last)]] : []
    }),
  )
}
