/** The parts of the library that the tests use; it has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  type Interaction = {
    prompt: { name: string }
    params: Record<string, string>
    session?: { accountId: string }
    grantId?: string
  }

  type Grant = {
    addOIDCScope(scope: string): void
    addResourceScope(resource: string, scope: string): void
    save(): Promise<string>
  }

  export default class Provider {
    constructor(issuer: string, configuration: object)
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
    on(event: string, listener: (context: { oidc: { params: Record<string, string> } }) => void): void
    Grant: new (about: {
      accountId: string
      clientId: string
    }) => Grant
    AccessToken: { find(token: string): Promise<{ aud?: string | string[]; isExpired: boolean } | undefined> }
  }
}
