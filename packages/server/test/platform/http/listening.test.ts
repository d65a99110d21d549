import { describe, expect, onTestFinished, test } from 'vitest'
import { openWeb, type WebOptions } from '../../../src/app/web.ts'
import type { App } from '../../../src/domain/app.ts'
import { noCache } from '../../../src/platform/cache/cache.ts'
import type { Signals } from '../../../src/platform/events/signals.ts'
import { StartupError } from '../../../src/platform/startup-error.ts'
import { silentLog } from '../../support/log/silent-log.ts'

/** The part of the app that listening needs. */
const signals = { listen: () => () => undefined } as Partial<Signals> as Signals
const app = { log: silentLog, cache: noCache(), signals } as App

async function listen(config: Partial<WebOptions['config']>) {
  const defaults = {
    HOST: '127.0.0.1',
    PORT: 0,
    APP_HOST: undefined,
    SUPERVISOR_USERNAME: 'supervisor',
    TRUSTED_PROXIES: [],
  }
  const web = await openWeb(app, { config: { ...defaults, ...config }, keys: [] })
  onTestFinished(async () => {
    await web.server.close()
  })
  return web
}

describe('the web server', () => {
  test('the web server returns the address it listens on', async () => {
    const { url } = await listen({})
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect((await fetch(`${url}/up`)).status).toBe(200)
  })

  test('the web server refuses a port in use and names the variable to change', async () => {
    const { url } = await listen({})
    const PORT = Number(new URL(url).port)
    const failure = listen({ PORT })
    await expect(failure).rejects.toThrow(
      new StartupError(`Port ${PORT} on 127.0.0.1 is taken by another program; set PORT to a free one.`),
    )
    await expect(failure).rejects.toBeInstanceOf(StartupError)
  })

  test.each(['203.0.113.1', 'not/a/host'])(
    'the web server refuses to listen on %s, which is no address of this machine',
    async (HOST) => {
      await expect(listen({ HOST })).rejects.toThrow(
        new StartupError(`HOST ${HOST} is not an address of this machine.`),
      )
    },
  )
})
