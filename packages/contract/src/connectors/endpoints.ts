import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import {
  AuthorizeRequest,
  CompletedAuthorization,
  CompleteRequest,
  Connector,
  CredentialIdParam,
  NextStep,
  OrphanedCredential,
} from './fields.ts'

const tag = 'Connectors'

export const listConnectors = defineEndpoint({
  name: 'connectors.list',
  auth: 'api_key',
  method: 'GET',
  path: '/connectors',
  tag,
  summary: 'List every MCP server with its state and what it needs, problems first',
  answers: {
    200: z.object({
      connectors: z.array(Connector).meta({ description: 'Every MCP server of the catalog.' }),
      orphaned_credentials: z.array(OrphanedCredential).meta({ description: 'Credentials that no server uses.' }),
    }),
  },
})

export const authorizeConnector = defineEndpoint({
  name: 'connectors.authorize',
  auth: 'api_key',
  method: 'POST',
  path: '/connectors/{name}/authorize',
  tag,
  summary: 'Begin to authorize an MCP server; a person completes it in a browser',
  params: z.object({
    name: z
      .string()
      .min(1)
      .meta({ description: 'The name of the MCP server.', examples: ['calendar'] }),
  }),
  body: AuthorizeRequest,
  answers: { 200: NextStep },
  refusals: ['not_found', 'cannot_authorize'],
})

export const completeConnector = defineEndpoint({
  name: 'connectors.complete',
  auth: 'api_key',
  method: 'POST',
  path: '/connectors/complete',
  tag,
  summary: 'Complete an authorization with the address that the person landed on',
  body: CompleteRequest,
  answers: { 200: CompletedAuthorization },
  refusals: ['cannot_authorize'],
})

export const disconnectConnector = defineEndpoint({
  name: 'connectors.disconnect',
  auth: 'api_key',
  method: 'DELETE',
  path: '/connector_credentials/{id}',
  tag,
  summary: 'Forget a stored credential',
  params: z.object({ id: CredentialIdParam }),
  answers: { 204: 'nothing' },
  refusals: ['not_found'],
})

export const endpoints = [listConnectors, authorizeConnector, completeConnector, disconnectConnector] as const
