import { limits } from '@yardmaster/contract/limits'

/**
 * What a login says of itself, such as its address. Null if it cannot be a name: a person can write anything into a login file,
 * and a vendor into a token.
 */
export function claimedText(text: string | null | undefined): string | null {
  const plain = text?.trim() ?? ''
  return plain !== '' && plain.length <= limits.accountName && !/\p{Cc}/u.test(plain) ? plain : null
}
