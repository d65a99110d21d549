import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/**
 * A certificate for loopback that signs itself, made when a test asks for it.
 *
 * @returns {{ key: string, cert: string }}
 */
export function loopbackCertificate() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(objectId('2a8648ce3d040302')) // ECDSA with SHA-256
  const name = sequence(set(sequence(objectId('550403'), utf8('yardmaster test'))))
  const day = 86_400_000
  const body = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    name,
    sequence(time(Date.now() - day), time(Date.now() + day)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(
      3,
      sequence(
        extension('551d13', sequence(tagged(0x01, Buffer.from([0xff])))),
        extension(
          '551d11',
          sequence(tagged(0x87, Buffer.from([127, 0, 0, 1])), tagged(0x82, Buffer.from('localhost'))),
        ),
      ),
    ),
  )
  const signature = sign('sha256', body, privateKey)
  const whole = sequence(body, algorithm, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? []
  return {
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  }
}

/**
 * @param {number} tag
 * @param {Buffer} content
 */
function tagged(tag, content) {
  const size = content.length
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

/** @param {Buffer[]} parts */
const sequence = (...parts) => tagged(0x30, Buffer.concat(parts))
/** @param {Buffer[]} parts */
const set = (...parts) => tagged(0x31, Buffer.concat(parts))
/**
 * @param {number} number
 * @param {Buffer} content
 */
const explicit = (number, content) => tagged(0xa0 + number, content)
/** @param {Buffer} bytes */
const integer = (bytes) => tagged(0x02, bytes)
/** @param {string} hex */
const objectId = (hex) => tagged(0x06, Buffer.from(hex, 'hex'))
/** @param {string} text */
const utf8 = (text) => tagged(0x0c, Buffer.from(text))
/**
 * @param {string} id
 * @param {Buffer} value
 */
const extension = (id, value) => sequence(objectId(id), tagged(0x04, value))

/** @param {number} at */
function time(at) {
  const text = new Date(at)
    .toISOString()
    .replace(/[-:T]|\.\d+/g, '')
    .slice(2)
  return tagged(0x17, Buffer.from(text))
}
