import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { MasterKey } from './master-key.ts'

/** Where a sealed text stands. It opens nowhere else, so that no one can move it to another row. */
export type Place = { table: string; column: string; id: string }

const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/** `v1.<id of the key>.<nonce, ciphertext and tag in base64url>` */
const form = /^v1\.(?<keyId>[0-9a-f]{16})\.(?<bytes>[\w-]+)$/

export function seal({ id, key }: MasterKey, place: Place, text: string): string {
  const nonce = randomBytes(nonceBytes)
  const sealing = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes })
  sealing.setAAD(named(place))
  const bytes = Buffer.concat([nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()])
  return `v1.${id}.${bytes.toString('base64url')}`
}

/** Whether this key sealed the text. */
export function isSealedBy({ id }: MasterKey, sealed: string): boolean {
  return sealed.startsWith(`v1.${id}.`)
}

export function unseal(keys: readonly MasterKey[], place: Place, sealed: string): string {
  const { keyId, bytes = '' } = form.exec(sealed)?.groups ?? {}
  const about = `the sealed value in ${place.table}.${place.column}`
  if (keyId === undefined) throw new Error(`${about} is not sealed`)
  const found = keys.find(({ id }) => id === keyId)
  if (!found) throw new Error(`${about} is sealed by the key ${keyId}, which this host does not have`)
  const all = Buffer.from(bytes, 'base64url')
  if (all.length < nonceBytes + tagBytes) throw new Error(`${about} is cut short`)
  const opening = createDecipheriv(cipher, found.key, all.subarray(0, nonceBytes), { authTagLength: tagBytes })
  opening.setAAD(named(place))
  opening.setAuthTag(all.subarray(-tagBytes))
  const content = opening.update(all.subarray(nonceBytes, -tagBytes))
  try {
    return Buffer.concat([content, opening.final()]).toString('utf8')
  } catch (error) {
    throw new Error(`${about} was changed, or was sealed for another row`, { cause: error })
  }
}

function named({ table, column, id }: Place): Buffer {
  return Buffer.from(JSON.stringify([table, column, id]), 'utf8')
}
