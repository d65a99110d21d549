import { z } from 'zod'
import { Id } from '../identifiers.ts'
import { Timestamp } from '../timestamp.ts'

export const connectorStates = [
  'ready',
  'no_credential_required',
  'token_expired',
  'missing_configuration',
  'needs_authorization',
  'needs_reauth',
  'declared_unavailable',
  'store_unavailable',
  'probe_failed',
] as const

const CredentialId = z.uuid().meta({ description: 'The id of the stored credential.' })

const Credential = z.object({
  id: CredentialId,
  created_at: Timestamp.meta({ description: 'When a person authorized the server.' }),
  expires_at: Timestamp.nullable().meta({ description: 'When the access token expires; null if it does not.' }),
  refreshable: z.boolean().meta({ description: 'Whether the service can renew it without a person.' }),
  refresh_token_unsupported: z.boolean().meta({
    description: 'Whether the authorization server gave no refresh token, so that a person is needed each time.',
  }),
  refreshed_at: Timestamp.nullable().meta({ description: 'When it was renewed last.' }),
  problem: z.string().nullable().meta({ description: 'Why it could not be renewed the last time.' }),
  scopes: z.string().nullable().meta({ description: 'What it permits, as the authorization server names it.' }),
})

export const Connector = z
  .object({
    name: z.string().meta({ description: 'The name of the MCP server in the catalog.' }),
    title: z.string().meta({ description: 'Its title.' }),
    description: z.string().meta({ description: 'What it is for.' }),
    transport: z.enum(['stdio', 'http', 'sse']).meta({ description: 'How agents reach it.' }),
    server_url: z.string().nullable().meta({ description: 'Its address as the catalog has it; null if it runs here.' }),
    state: z.enum(connectorStates).meta({ description: 'Whether sessions can use it, and what it needs if not.' }),
    reason: z.string().nullable().meta({ description: 'Why sessions cannot use it; null if they can.' }),
    takes_sign_in: z.boolean().meta({ description: 'Whether a person can authorize it.' }),
    missing: z
      .array(
        z.object({
          name: z.string().meta({ description: 'The name of the variable.' }),
          where: z.string().meta({ description: 'Where to set it.' }),
        }),
      )
      .meta({ description: 'The variables that it needs and that have no value.' }),
    credential: Credential.nullable().meta({ description: 'The stored credential, without its tokens.' }),
    pending_flow: z.boolean().meta({ description: 'Whether a person has begun to authorize it.' }),
    waiting_sessions: z
      .array(
        z.object({
          id: Id,
          slug: z.string().nullable().meta({ description: 'The slug of the session.' }),
          title: z.string().nullable().meta({ description: 'Its title.' }),
        }),
      )
      .meta({ description: 'The sessions that wait for it.' }),
  })
  .meta({ id: 'Connector' })
export type Connector = z.infer<typeof Connector>

export const OrphanedCredential = z
  .object({
    id: CredentialId,
    server_name: z.string().meta({ description: 'The name of the MCP server that it was given for.' }),
    server_url: z.string().meta({ description: 'The address of that server.' }),
    created_at: Timestamp.meta({ description: 'When a person authorized the server.' }),
  })
  .meta({
    id: 'OrphanedCredential',
    description: 'A credential for a server that the catalog no longer has, or has with another address.',
  })

export const AuthorizeRequest = z.object({
  session_id: Id.optional().meta({
    description: 'The session for which it is authorized. It decides where the person lands.',
  }),
  again: z.boolean().optional().meta({ description: 'Also if there is a token that works.' }),
})

export const NextStep = z
  .object({
    next: z.enum(['consent', 'paste', 'authorized']).meta({
      description:
        '`consent`: send the person to `url`. `paste`: as `consent`, and the person pastes the address that they land on. `authorized`: nothing to do.',
    }),
    server_name: z.string().meta({ description: 'The name of the MCP server.' }),
    url: z.string().nullable().meta({ description: 'Where the person gives their consent.' }),
    state: z.string().nullable().meta({ description: 'Names the authorization when it is completed.' }),
  })
  .meta({ id: 'AuthorizationStep' })

export const CompleteRequest = z.object({
  state: z.string().min(1).max(200).meta({ description: 'The state that `connectors.authorize` returned.' }),
  redirect_response: z
    .string()
    .min(1)
    .max(8000)
    .meta({ description: 'The whole address that the browser was sent to, or only the code in it.' }),
})

export const CompletedAuthorization = z
  .object({
    server_name: z.string().meta({ description: 'The name of the MCP server.' }),
    resumed_sessions: z.array(Id).meta({ description: 'The sessions that waited for it and go on.' }),
  })
  .meta({ id: 'CompletedAuthorization' })

export const CredentialIdParam = z.string().meta({
  description: 'The id of a stored credential.',
  examples: ['3f1c2b7e-8a90-8c1d-8e2f-0123456789ab'],
})
