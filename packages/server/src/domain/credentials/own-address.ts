import type { App } from '../app.ts'

declare module '../app.ts' {
  interface App {
    /** The name under which people reach this server. */
    appHost: string | undefined
  }
}

/** An address of this server as an authorization server is told it. Plain http only for a name that says localhost. */
export async function ownAddress({ appHost, serviceUrl }: Pick<App, 'appHost' | 'serviceUrl'>, path: string) {
  const port = appHost === undefined ? new URL((await serviceUrl) ?? 'http://localhost:3000').port : ''
  const host = appHost ?? `localhost:${port}`
  return `${host.includes('localhost') ? 'http' : 'https'}://${host}${path}`
}
