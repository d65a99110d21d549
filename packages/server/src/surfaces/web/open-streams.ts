import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { App } from '../../domain/app.ts'
import { signInsTopic, stillSignedIn } from '../../domain/sign-ins/sign-in.ts'
import { isBelow } from '../../platform/http/guard.ts'
import { isEventStream } from '../../platform/http/register.ts'

/** For a signal that was lost, and for sign-ins that expire. */
const checkEveryMs = 30_000

/**
 * An event stream outlives the check of its cookie, so it is closed when its sign-in ends, on whichever host that happens. Called before
 * the routes are registered.
 */
export function closeStreamsOfEndedSignIns(server: FastifyInstance, app: App): void {
  const streams = new Map<ServerResponse, number>()
  const check = async (): Promise<void> => {
    const open = [...streams]
    if (open.length === 0) return
    const valid = await stillSignedIn(app, [...new Set(open.map(([, id]) => id))])
    for (const [stream, id] of open) if (!valid.has(id)) stream.destroy()
  }
  const checkSoon = (): void => {
    check().catch((error: unknown) =>
      app.log.warn({ err: error }, 'the sign-ins of event streams could not be checked'),
    )
  }
  server.addHook('onRoute', (route) => {
    if (!isBelow('/web', route)) return
    route.onSend = ({ browser }, { raw }, payload, done) => {
      if (browser?.signInId !== undefined && payload instanceof Readable && isEventStream(payload)) {
        streams.set(raw, browser.signInId)
        raw.once('close', () => streams.delete(raw))
        // The sign-in may have ended since its cookie was checked.
        checkSoon()
      }
      done(null, payload)
    }
  })
  const stopListening = app.signals.listen(signInsTopic, checkSoon)
  const timer = setInterval(checkSoon, checkEveryMs)
  server.addHook('onClose', async () => {
    clearInterval(timer)
    stopListening()
  })
}
