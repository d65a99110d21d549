import { z } from 'zod'
import type { Usage } from '../usage.ts'

/** One sign-in at a vendor, in a form that no vendor decides. Stored sealed as a whole, so that both tokens change together. */
export const Login = z.object({
  accessToken: z.string(),
  /** Null for a token that lives for long and cannot be refreshed. */
  refreshToken: z.string().nullable(),
  /** As ISO text; null if it is not known. */
  expiresAt: z.string().nullable(),
  email: z.string().nullable(),
  subscriptionType: z.string().nullable(),
  rateLimitTier: z.string().nullable(),
  scopes: z.array(z.string()),
  /** What only some vendors have. */
  idToken: z.string().optional(),
  vendorAccountId: z.string().optional(),
})
export type Login = z.infer<typeof Login>

/** What an agent gets of a login: nothing that can be refreshed, because only the server may spend a refresh token. */
export type ServedLogin = Omit<Login, 'refreshToken'>

export function served({ refreshToken: _, ...login }: Login): ServedLogin {
  return login
}

/** The answer to a refresh. A refresh token is used once, so the difference between "no" and "no answer" matters. */
export type RefreshAnswer =
  | { kind: 'renewed'; login: Login }
  /** The vendor says that the token is expired, revoked, or not its own: no further attempt helps. */
  | { kind: 'dead'; detail: string }
  /** The vendor does not know the token, or says that it was used. It may be wrong: it counts as a strike. */
  | { kind: 'unknown_token'; detail: string }
  /** The vendor did not handle the request: 5xx, 429, a refused connection. Nothing has changed. */
  | { kind: 'unavailable'; detail: string }
  /** The request was sent and no readable answer came: the vendor may have spent the token. */
  | { kind: 'lost'; detail: string }

export type QuotaWindow = {
  /** 0 to 1. */
  utilization: number
  resetsAt: Date | null
  /** `allowed` and `allowed_warning` serve; anything else blocks. */
  status: string
}

export type Quota = {
  fiveHour: QuotaWindow | null
  weekly: QuotaWindow | null
  overageStatus: string | null
  overageDisabledReason: string | null
}

export type Measurement =
  /** `usage`: of the request, if its answer tells. */
  | { kind: 'measured'; quota: Quota; usage?: Usage }
  | { kind: 'login_rejected'; detail: string }
  | { kind: 'unavailable'; detail: string }

/** What a login command has printed so far tells what a person has to do. */
export type SignInStep = { url?: string; code?: string; asksForCode?: boolean }

export type SignInCommand = {
  command: string
  args: readonly string[]
  /** `folder` is private to the attempt. */
  environment(folder: string): Record<string, string>
  read(output: string): SignInStep
  /** The file that the command leaves in the folder. */
  loginFile(folder: string): string
}

/** What a runtime knows of its vendor's accounts. A runtime without it has no pool. */
export type VendorAccounts = {
  /** The content of the CLI's login file, or a token alone. Undefined if it is neither. */
  readLogin(text: string): Login | undefined
  /** The CLI's login file with this login in it, and with what else stood there. */
  writeLogin(login: Login, before: string): string
  refresh(login: Login): Promise<RefreshAnswer>
  /** Sends a request for one token and reads the rate-limit headers of the answer. */
  measure(login: ServedLogin): Promise<Measurement>
  /** The login file of this host, which a person's own CLI may renew. */
  hostLoginFile?: string | undefined
  signIn: SignInCommand
}

/** What a turn's failure says about the account that served it, by a structured signal and never by prose. */
export type AccountSignal =
  | { kind: 'quota_spent'; window: 'five_hour' | 'weekly' | null; resetsAt: Date | null }
  | { kind: 'login_rejected' }
