import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Received = { path: string; headers: IncomingMessage['headers']; body: Buffer; answer: PushAnswer }

/**
 * A status, at once or after a while, with `retry-after` or without, or `hang`: no answer. `cut`: the connection ends. `endless`: a body without end.
 * `redirect`: to the path `/elsewhere`.
 */
type PushAnswer =
  | number
  | { status: number; afterMs?: number; retryAfter?: string }
  | 'hang'
  | 'cut'
  | 'endless'
  | 'redirect'

export type Browser = {
  /** What it sends to subscribe. */
  subscription: { endpoint: string; p256dh_key: string; auth_key: string }
  /** The pushes that its service accepted, decrypted with its own keys. */
  pushes(): Record<string, unknown>[]
}

/** Stands in for the push service of a browser's vendor, on loopback. */
export type PushService = {
  origin: string
  /** The environment of a host that may send to it. */
  environment: Record<string, string>
  requests: Received[]
  /** A new browser with keys of its own. */
  browser(): Browser
  /** Answers the next pushes like this, one each, before the ordinary 201. */
  next(...answers: PushAnswer[]): void
  /** Answers every push as this function says, by its path, until it is called again. */
  decide(choose: (path: string) => PushAnswer): void
  close(): Promise<void>
}

export async function startPushService(): Promise<PushService> {
  const requests: Received[] = []
  const planned: PushAnswer[] = []
  let choose = (_path: string): PushAnswer => 201
  let browsers = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { url: path = '', headers } = request
    const answer = planned.shift() ?? choose(path)
    requests.push({ path, headers, body: Buffer.concat(chunks), answer })
    send(response, answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // a TCP server has one
  return {
    origin,
    environment: { PUSH_ALLOWED_ORIGINS: origin },
    requests,
    browser: () => {
      browsers += 1
      return newBrowser(`${origin}/send/${browsers}`, requests)
    },
    next: (...answers) => void planned.push(...answers),
    decide: (given) => {
      choose = given
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function send(response: ServerResponse, given: PushAnswer): void {
  if (given === 'hang') return
  if (given === 'cut') return void response.socket?.destroy()
  if (given === 'redirect') return void response.writeHead(307, { location: '/elsewhere' }).end()
  if (typeof given === 'object') {
    if (given.retryAfter !== undefined) response.setHeader('retry-after', given.retryAfter)
    return void setTimeout(() => send(response, given.status), given.afterMs ?? 0)
  }
  if (given !== 'endless') return void response.writeHead(given).end()
  const write = (): void => {
    if (response.destroyed) return
    if (response.write(' '.repeat(65_536))) setImmediate(write)
    else response.once('drain', write)
  }
  response.writeHead(201)
  write()
}

function isAccepted(answer: PushAnswer): boolean {
  return answer === 201 || answer === 'endless' || (typeof answer === 'object' && answer.status === 201)
}

function newBrowser(endpoint: string, requests: readonly Received[]): Browser {
  const ecdh = createECDH('prime256v1')
  ecdh.generateKeys()
  const auth = randomBytes(16)
  return {
    subscription: {
      endpoint,
      p256dh_key: ecdh.getPublicKey('base64url'),
      auth_key: auth.toString('base64url'),
    },
    pushes: () =>
      requests
        .filter(({ path, answer }) => new URL(endpoint).pathname === path && isAccepted(answer))
        .map(({ body }) => JSON.parse(decrypt(body, { ecdh, auth }))),
  }
}

/** RFC 8291: the content encoding aes128gcm with the keys of a browser. */
function decrypt(body: Buffer, { ecdh, auth }: { ecdh: ReturnType<typeof createECDH>; auth: Buffer }): string {
  const salt = body.subarray(0, 16)
  const sender = body.subarray(21, 21 + (body[20] ?? 0))
  const sealed = body.subarray(21 + sender.length)
  const derive = (secret: Buffer, about: { salt: Buffer; info: Buffer | string; length: number }): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, about.salt, about.info, about.length))
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender])
  const secret = derive(ecdh.computeSecret(sender), { salt: auth, info, length: 32 })
  const key = derive(secret, { salt, info: 'Content-Encoding: aes128gcm\0', length: 16 })
  const nonce = derive(secret, { salt, info: 'Content-Encoding: nonce\0', length: 12 })
  const decipher = createDecipheriv('aes-128-gcm', key, nonce)
  decipher.setAuthTag(sealed.subarray(-16))
  const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
  return padded.subarray(0, padded.lastIndexOf(2)).toString()
}

/** The claims of the token by which the sender of a push names itself, and whether the named key signed them. */
export function readVapid({ headers }: Pick<Received, 'headers'>): {
  key: string
  claims: Record<string, unknown>
  isSigned: boolean
} {
  const [, token = '', key = ''] = /^vapid t=([^,]+), ?k=(.+)$/.exec(headers.authorization ?? '') ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(key, 'base64url')
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  }
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  return { key, claims: JSON.parse(Buffer.from(claims, 'base64url').toString()), isSigned }
}
