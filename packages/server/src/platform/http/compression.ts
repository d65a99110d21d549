import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { gzip, gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** A shorter answer fits into one packet either way. */
const minBytes = 1024
/** Up to here compressing at once takes less than a millisecond, and a fifth of what handing it to a thread takes. */
const shortBytes = 16 * 1024
/** Takes two thirds of the time of the usual level for 4 % more bytes. */
const level = 4

const compress = promisify(gzip)

/**
 * Compresses JSON for callers that accept it. Streams and files are sent as they are: an event must not wait in a compressor,
 * and a zip file gains nothing. A long answer is compressed in the thread pool, so that it does not block other requests.
 */
export function compressAnswers(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    if (!mayDiffer(reply)) return done(null, payload)
    reply.header('vary', [reply.getHeader('vary') ?? [], 'Accept-Encoding'].flat().join(', '))
    if (typeof payload !== 'string' || !isCompressible(request)) return done(null, payload)
    const bytes = Buffer.from(payload)
    if (bytes.length <= minBytes) return done(null, payload)
    const send = (compressed: Buffer): void => {
      // The tag stays: it names the content, and no caller can put parts of JSON answers together.
      reply.header('content-encoding', 'gzip').removeHeader('content-length')
      done(null, compressed)
    }
    if (bytes.length <= shortBytes) return send(gzipSync(bytes, { level }))
    compress(bytes, { level }).then(send, (error: Error) => done(error))
  })
}

/** Also of an answer without a body: a cache compares its `Vary` with that of the one it has. */
function mayDiffer(reply: FastifyReply): boolean {
  return reply.statusCode === 304 || String(reply.getHeader('content-type')).startsWith('application/json')
}

/**
 * Not for a request that another site's page caused. Such a page could guess at a secret in the answer: a right guess in the
 * address makes the compressed answer shorter (docs/decisions/0090).
 */
function isCompressible({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  return acceptsGzip(headers) && (site === undefined || site === 'same-origin' || site === 'none')
}

/** By the weights of `Accept-Encoding`: `gzip`, or else `*`, unless the caller prefers the plain answer. */
function acceptsGzip({ 'accept-encoding': accepted = '' }: IncomingHttpHeaders): boolean {
  const weights = new Map(String(accepted).toLowerCase().split(',').map(readWeight))
  const wanted = weights.get('gzip') ?? weights.get('*') ?? 0
  return wanted > 0 && wanted >= (weights.get('identity') ?? 0)
}

function readWeight(coding: string): [string, number] {
  const [name = '', ...parameters] = coding.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
  return [name, /^[01](?:\.\d{0,3})?$/.test(weight) ? Number(weight) : 0]
}
