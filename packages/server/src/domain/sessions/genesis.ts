import type { Genesis } from '@yardmaster/contract/sessions/fields'
import type { Browser } from '../../platform/http/browser.ts'

/** Of a session that a request starts: a person starts it on the dashboard, every other caller over the API. */
export function genesisOfRequest({ browser }: { browser: Browser | undefined }): Genesis {
  return browser ? 'web_ui' : 'api'
}
