import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** The secret of a one-time link, made with the API key that it signs in for. */
export type Link = {
  /** Of that API key. */
  keyHash: Buffer
  secretHash: Buffer
  expiresAt: Date
}

/** The API keys, as far as sign-ins need them: a sign-in ends with its key, and so does a link. */
export type SignInKeys = {
  /** Whether sign-ins that were made with the key still hold. */
  include(keyHash: Buffer): boolean
  /** Undefined without a key. */
  makeLink(now: Date): string | undefined
  /** Undefined for a text that none of the keys made. It may have expired. */
  readLink(secret: string): Link | undefined
}

/** No API key begins with it. */
export const linkPrefix = 'yml_'

export const linkMinutes = 5

const nonceBytes = 16
const expiryBytes = 6
const macBytes = 32

/**
 * A link is a random number and a time, signed with the key. So everyone who has the key can make one without asking the server, and
 * only its use has to be stored.
 */
export function signInKeys(keys: readonly string[]): SignInKeys {
  const hashes = keys.map(keyHashOf)
  return {
    include: (keyHash) => hashes.some((each) => each.equals(keyHash)),
    makeLink: (now) => {
      const [key] = keys
      if (key === undefined) return undefined
      const signed = Buffer.alloc(nonceBytes + expiryBytes)
      randomBytes(nonceBytes).copy(signed)
      signed.writeUIntBE(now.getTime() + linkMinutes * 60_000, nonceBytes, expiryBytes)
      return linkPrefix + Buffer.concat([signed, macOf(key, signed)]).toString('base64url')
    },
    readLink: (secret) => {
      const bytes = Buffer.from(secret.slice(linkPrefix.length), 'base64url')
      if (!secret.startsWith(linkPrefix) || bytes.length !== nonceBytes + expiryBytes + macBytes) return undefined
      const [signed, mac] = [bytes.subarray(0, -macBytes), bytes.subarray(-macBytes)]
      const key = keys.find((each) => timingSafeEqual(macOf(each, signed), mac))
      if (key === undefined) return undefined
      return {
        keyHash: keyHashOf(key),
        // Of the bytes: one link can be written in several ways.
        secretHash: digestOf(bytes),
        expiresAt: new Date(signed.readUIntBE(nonceBytes, expiryBytes)),
      }
    },
  }
}

export function keyHashOf(key: string): Buffer {
  return digestOf(`sign-in ${key}`)
}

export function digestOf(text: string | Buffer): Buffer {
  return createHash('sha256').update(text).digest()
}

function macOf(key: string, signed: Buffer): Buffer {
  return createHmac('sha256', key).update('sign-in link').update(signed).digest()
}
