import type { FastifyInstance } from 'fastify'
import type { App } from '../../domain/app.ts'
import {
  beginSocialFlow,
  callbackPath,
  completePastedSocial,
  completeSocialFlow,
  type SocialStep,
} from '../../domain/credentials/credential.ts'
import { html } from '../../platform/html/html.ts'
import type { Page } from '../../platform/html/page.ts'
import { notice } from '../../platform/html/parts.ts'
import type { FormTokens } from '../../platform/http/form-tokens.ts'
import type { Refusal } from '../../platform/refusal.ts'
import { type Filled, guardedForm, serveAction, servePage, serveReturn } from './operator-route.ts'

const authorizePath = '/supervisor/x_oauth/authorize'
const completePath = '/supervisor/x_oauth/complete'

/** How the operator authorizes an account of the social network. */
export function registerSocialPages(server: FastifyInstance, app: App, tokens: FormTokens): void {
  const authorizePage = (filled: Filled, refusal?: Refusal): Page => ({
    title: 'Authorize an account',
    lead: 'Its token fills in a variable of the catalog, and is renewed by itself.',
    place: '/supervisor',
    ...(URL.canParse(app.social.authorizationEndpoint) && {
      formOrigin: new URL(app.social.authorizationEndpoint).origin,
    }),
    body: html`${refusal && notice(refusal.messages.join(' '), 'bad')}${guardedForm(tokens, {
      action: authorizePath,
      button: 'Authorize',
      fields: [
        { name: 'account_key', label: 'Account key', value: filled.account_key ?? '', hint: 'Your name for it.' },
        {
          name: 'access_token_env_var',
          label: 'Variable',
          value: filled.access_token_env_var ?? 'X_ACCESS_TOKEN',
          hint: 'The name in the catalog. It begins with X_.',
        },
      ],
    })}`,
  })

  servePage(server, authorizePath, async () => authorizePage({}))
  serveAction(server, {
    url: authorizePath,
    operation: 'social_credentials.authorize',
    tokens,
    perform: async (_address, filled) => {
      const { account_key: accountKey = '', access_token_env_var: variable = '' } = filled
      const step = await beginSocialFlow(app, { accountKey: accountKey.trim(), variable: variable.trim() })
      return step.kind === 'consent' ? { elsewhere: step.url } : pastePage(tokens, step)
    },
    renderRefused: async (_address, filled, refusal) => authorizePage(filled, refusal),
  })
  serveReturn(server, {
    url: callbackPath,
    operation: 'social_credentials.complete',
    perform: async ({ query: { state = '', ...returned } }) => {
      const id = await completeSocialFlow(app, state, returned)
      return { redirect: pageOf(id), about: `social_credentials/${id}` }
    },
  })
  serveAction(server, {
    url: completePath,
    operation: 'social_credentials.complete',
    tokens,
    perform: async (_address, { flow_state: state = '', redirect_response: pasted = '' }) =>
      pageOf(await completePastedSocial(app, state, pasted)),
    renderRefused: async (_address, { flow_state: state = '' }, refusal) => pastePage(tokens, { state, refusal }),
  })
}

function pageOf(id: string): string {
  return `/supervisor/social_credentials/${id}`
}

type Paste = Pick<SocialStep, 'state'> & { url?: string; refusal?: Refusal }

function pastePage(tokens: FormTokens, { url, state, refusal }: Paste): Page {
  const form = { action: completePath, button: 'Complete' }
  const field = { name: 'redirect_response', label: 'Address, or code', type: 'area' } as const
  return {
    title: 'Authorize an account',
    lead: 'The provider sends you to an address that is not ours.',
    place: '/supervisor',
    body: html`${refusal && notice(refusal.messages.join(' '), 'bad')}<ol>
        <li>${
          url === undefined
            ? html`Give your consent, or <a href="${authorizePath}">begin again</a>.`
            : html`<a href="${url}" target="_blank" rel="noreferrer noopener">Give your consent</a> in another tab.`
        }</li>
        <li>Copy the whole address of the page that you land on, even if it shows an error.</li>
        <li>Paste it here within 30 minutes.</li>
      </ol>
      ${guardedForm(tokens, { ...form, fields: [field] }, { flow_state: state })}`,
  }
}
