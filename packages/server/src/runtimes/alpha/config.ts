import type { RuntimeModel } from '../runtime.ts'

export type AlphaOptions = {
  /** The CLI: a name on the PATH or a path. */
  command: string
  /**
   * What the CLI needs to reach its provider and whatever else of its settings the operator chose: ANTHROPIC_API_KEY,
   * ANTHROPIC_BASE_URL, CLAUDE_CODE_OAUTH_TOKEN. Wins over what the driver sets by itself.
   */
  environment: Readonly<Record<string, string>>
  /** The `.credentials.json` of a login on this host, for those who have no key. The CLI renews it there. */
  credentialsFile?: string
  models: readonly RuntimeModel[]
}
