/** The face of the room: the stored tokens with which agents reach MCP servers and social networks. Values leave it only for the session that needs them. */
export {
  credentialKeyOf,
  forgetCredential,
  type Grant,
  listCredentials,
  listSecretUses,
  type RemoteServer,
  recordNeed,
  type SignInState,
  signInStateOf,
  storeGrant,
} from './mcp-credential.ts'
export type { McpCredentialRow } from './mcp-credential-store.ts'
export { ownAddress } from './own-address.ts'
export { isRefreshable } from './refresh.ts'
export { findToken, recordRejected, spawnMarginSeconds, type TokenAnswer } from './refresh-mcp-credential.ts'
export { freshenVended, type SocialSettings, socialEndpoints } from './social-credential.ts'
export {
  beginSocialFlow,
  callbackPath,
  completePastedSocial,
  completeSocialFlow,
  type SocialStep,
} from './social-flow.ts'
export { openVendedTokens } from './vended-tokens.ts'
