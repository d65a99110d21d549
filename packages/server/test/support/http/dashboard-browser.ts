import { randomBytes } from 'node:crypto'
import type { Answer, TestApp } from '../app/app.ts'
import { testKey } from '../app/app.ts'

type Init = { body?: unknown; headers?: Record<string, string> }

export type DashboardBrowser = {
  /** What the browser sends as `Cookie`. */
  cookie: string
  /** Where the browser sends a request for this path. */
  at(path: string): string
  call(method: string, path: string, init?: Init): Promise<Answer>
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
}

/**
 * A browser as a page of the server uses it: it keeps the cookie that it is given, sends it below its private path, and says where its
 * requests come from.
 */
export function dashboardBrowser({ send }: Pick<TestApp, 'send'>): DashboardBrowser {
  const privatePath = `/web/~${randomBytes(24).toString('base64url')}`
  const browser: DashboardBrowser = {
    cookie: '',
    at: (path) => path.replace(/^(?:\/web|(?=\/(?:jobs|mcp_oauth|connector_credentials)))(?=\/|\?|$)/, privatePath),
    call: async (method, path, { body, headers = {} } = {}) => {
      const response = await send(browser.at(path), {
        method,
        headers: {
          'sec-fetch-site': 'same-origin',
          ...(browser.cookie !== '' && { cookie: browser.cookie }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const [kept] = response.headers.getSetCookie().map((each) => each.split(';', 1)[0] ?? '')
      if (kept !== undefined) browser.cookie = kept.endsWith('=') ? '' : kept
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.startsWith('application/json')
      return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers }
    },
    get: (path) => browser.call('GET', path),
    post: (path, body) => browser.call('POST', path, { body }),
  }
  return browser
}

/** A browser that has signed in with the test's key. */
export async function signedIn(app: Pick<TestApp, 'send'>, name?: string): Promise<DashboardBrowser> {
  const browser = dashboardBrowser(app)
  const { status } = await browser.post('/web/session', { key: testKey, ...(name !== undefined && { name }) })
  if (status !== 201) throw new Error(`signing in was answered ${status}`)
  return browser
}
