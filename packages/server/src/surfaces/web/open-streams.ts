import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { apiKeysTopic, stillValidKeys } from '../../domain/api-keys/api-key.ts'
import type { App } from '../../domain/app.ts'
import { signInsTopic, stillSignedIn } from '../../domain/sign-ins/sign-in.ts'
import { isEventStream } from '../../platform/http/register.ts'

/** For a signal that was lost, and for sign-ins and keys that expire. */
const checkEveryMs = 30_000

/** What an open stream depends on. */
type Ground = { kind: 'sign-in' | 'key'; id: number }

/**
 * An event stream outlives the check of its cookie or key, so it is closed when the sign-in or the key ends, on whichever host that
 * happens. Called before the routes are registered.
 */
export function closeEndedStreams(server: FastifyInstance, app: App): void {
  const streams = new Map<ServerResponse, Ground>()
  const idsOf = (kind: Ground['kind']): number[] => [
    ...new Set([...streams.values()].filter((ground) => ground.kind === kind).map(({ id }) => id)),
  ]
  const check = async (): Promise<void> => {
    const open = [...streams]
    if (open.length === 0) return
    const [signIns, keys] = await Promise.all([stillSignedIn(app, idsOf('sign-in')), stillValidKeys(app, idsOf('key'))])
    const valid = { 'sign-in': signIns, key: keys }
    for (const [stream, { kind, id }] of open) if (!valid[kind].has(id)) stream.destroy()
  }
  const checkSoon = (): void => {
    check().catch((error: unknown) =>
      app.log.warn({ err: error }, 'the sign-ins and keys of event streams could not be checked'),
    )
  }
  server.addHook('onRoute', (route) => {
    if (route.method !== 'GET') return
    route.onSend = (request, { raw }, payload, done) => {
      const ground = payload instanceof Readable && isEventStream(payload) ? groundOf(request) : undefined
      if (ground) {
        streams.set(raw, ground)
        raw.once('close', () => streams.delete(raw))
        // It may have ended since it was checked.
        checkSoon()
      }
      done(null, payload)
    }
  })
  const stopListening = [signInsTopic, apiKeysTopic].map((topic) => app.signals.listen(topic, checkSoon))
  const timer = setInterval(checkSoon, checkEveryMs)
  server.addHook('onClose', async () => {
    clearInterval(timer)
    for (const stop of stopListening) stop()
  })
}

/** A key of `API_KEYS` ends with the process. */
function groundOf({ browser, keyHolder }: FastifyRequest): Ground | undefined {
  if (browser?.signInId !== undefined) return { kind: 'sign-in', id: browser.signInId }
  return keyHolder?.keyId === undefined ? undefined : { kind: 'key', id: keyHolder.keyId }
}
