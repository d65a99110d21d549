import { createECDH } from 'node:crypto'
import { readOrCreate } from '../files/private-file.ts'
import type { Home } from '../home/home.ts'
import { StartupError } from '../startup-error.ts'

/** How the service proves to a push service that a push is its own. Both in base64url. */
export type VapidKeys = { publicKey: string; privateKey: string }

/** From the environment, else from the home, where the first start creates them. The public key follows from the private one. */
export async function findVapidKeys(given: string | undefined, home: Pick<Home, 'in'>): Promise<VapidKeys> {
  const file = home.in('vapid-key')
  const privateKey = given ?? (await readOrCreate(file, newPrivateKey))
  try {
    return { privateKey, publicKey: publicKeyOf(privateKey) }
  } catch (error) {
    throw new StartupError(`${given === undefined ? `The file ${file}` : 'VAPID_PRIVATE_KEY'} holds no VAPID key.`, {
      cause: error,
    })
  }
}

const curve = 'prime256v1'
const keyBytes = 32

function newPrivateKey(): string {
  const ecdh = createECDH(curve)
  ecdh.generateKeys()
  const key = ecdh.getPrivateKey()
  // Leading zeros are left out.
  return Buffer.concat([Buffer.alloc(keyBytes - key.length), key]).toString('base64url')
}

function publicKeyOf(privateKey: string): string {
  const key = Buffer.from(privateKey, 'base64url')
  // A shorter one would be taken, and refused by the first push.
  if (key.length !== keyBytes) throw new Error(`the key has ${key.length} bytes instead of ${keyBytes}`)
  const ecdh = createECDH(curve)
  ecdh.setPrivateKey(key)
  return ecdh.getPublicKey('base64url')
}

/** Whether it is a point on the curve, so that a push can be encrypted for it. */
export function isPublicKey(key: string): boolean {
  const ecdh = createECDH(curve)
  ecdh.generateKeys()
  try {
    ecdh.computeSecret(Buffer.from(key, 'base64url'))
    return true
  } catch {
    return false
  }
}
