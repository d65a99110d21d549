import { type NameKind, secretNameKind } from './secret-names.ts'

/** What a key implies about its string value. */
export type JsonKey = {
  name: string
  /** The value is a secret of this kind if it looks like one. */
  kind: NameKind | undefined
  /** A header whose value has its own format. */
  isHeader: boolean
  /**
   * The value must not change: a signature or encrypted reasoning that the runtime sends back to its vendor, or an id
   * that is referenced elsewhere. Patterns skip it; known values are still found.
   */
  isOpaque: boolean
}

export function readJsonKey(name: string): JsonKey {
  if (!remarkable.test(name)) return ordinary
  return {
    name,
    kind: secretNameKind(name),
    isHeader: headers.test(name),
    isOpaque: opaque.test(name) && !halfOfCredential.test(name),
  }
}

const ordinary: JsonKey = { name: '', kind: undefined, isHeader: false, isOpaque: false }

/** Quick check, which nearly all keys fail. */
const remarkable =
  /pass|pwd|pw|secret|token|key|credential|jwt|pat$|otp$|auth|cookie|signature|encrypted|thinking$|integrity|checksum|etag|id$|ids$|sha|hash|digest|commit/i

const headers = /^(?:(?:proxy-)?authorization|(?:set-)?cookie|_?auth|[a-z][a-z-]*-(?:key|token))$/i

const opaque =
  /^(?:signature|thoughtSignature|thought_signature|encryptedContent|encrypted_content|redacted_thinking|integrity|checksum|etag|id|uuid|guid|sha|sha1|sha256|hash|digest|commit|oid)$|[_-](?:id|ids|uuid|guid|sha|hash|digest)$|[a-z](?:Id|Ids|Uuid|UUID|Sha|Hash)$/

const halfOfCredential = /(?:key|secret|token)[_-]?id$/i
