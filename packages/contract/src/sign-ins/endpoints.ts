import { z } from 'zod'
import { defineEndpoint, defineList } from '../endpoint.ts'
import { IdParam } from '../identifiers.ts'
import { BrowserSession, NameRequest, OperatorRequest, SignIn, SignInRequest } from './fields.ts'

const tag = 'Sign-ins'

export const listSignIns = defineList({
  name: 'sign_ins.list',
  auth: 'browser',
  path: '/sign_ins',
  tag,
  summary: 'List the browsers that are signed in, the last used first',
  key: 'sign_ins',
  item: SignIn,
})

export const deleteSignIn = defineEndpoint({
  name: 'sign_ins.delete',
  auth: 'browser',
  method: 'DELETE',
  path: '/sign_ins/{id}',
  tag,
  summary: 'Sign a browser out; its event stream ends',
  params: z.object({ id: IdParam }),
  answers: { 204: 'nothing' },
  refusals: ['not_found'],
})

const OneSession = z.object({ session: BrowserSession })
const ofBrowser = { tag, path: '/web/session' } as const

/** The endpoints of the browser itself. They are not below `/web/v1`: they set and remove its cookie. */
export const showBrowserSession = defineEndpoint({
  ...ofBrowser,
  name: 'browser_session.show',
  auth: 'browser',
  method: 'GET',
  summary: 'Show who uses the browser',
  answers: { 200: OneSession },
})

export const createBrowserSession = defineEndpoint({
  ...ofBrowser,
  name: 'browser_session.create',
  auth: 'none',
  method: 'POST',
  summary: 'Sign in with an API key or a one-time link',
  body: SignInRequest,
  answers: { 201: OneSession },
  refusals: ['unauthorized', 'too_many_wrong_keys'],
})

export const updateBrowserSession = defineEndpoint({
  ...ofBrowser,
  name: 'browser_session.update',
  auth: 'browser',
  method: 'PATCH',
  summary: 'Give the name under which messages are recorded',
  body: NameRequest,
  answers: { 200: OneSession },
})

export const deleteBrowserSession = defineEndpoint({
  ...ofBrowser,
  name: 'browser_session.delete',
  auth: 'browser',
  method: 'DELETE',
  summary: 'Sign out',
  answers: { 204: 'nothing' },
})

export const becomeOperator = defineEndpoint({
  ...ofBrowser,
  name: 'browser_session.become_operator',
  auth: 'browser',
  method: 'POST',
  path: '/web/session/operator',
  summary: "Give the operator's password",
  body: OperatorRequest,
  answers: { 200: OneSession },
  refusals: ['unauthorized', 'too_many_wrong_keys'],
})

export const endpoints = [
  showBrowserSession,
  createBrowserSession,
  updateBrowserSession,
  deleteBrowserSession,
  becomeOperator,
  listSignIns,
  deleteSignIn,
] as const
