import type { JsonObject } from '@yardmaster/contract/json'
import { limits } from '@yardmaster/contract/limits'
import { writeJson } from '../../platform/exact-json.ts'
import { readExactObject } from '../../platform/http/json-body.ts'
import { refuse } from '../../platform/refusal.ts'

/** What a person filled in: an object, or the same as JSON text. Blank and absent are the same. */
export function readContent(sent: unknown): JsonObject | null {
  if (sent === undefined || sent === null || (typeof sent === 'string' && sent.trim() === '')) return null
  const content = typeof sent === 'string' && /^\s*\{/.test(sent) ? readExactObject(sent, 'Content') : sent
  if (typeof content !== 'object' || Array.isArray(content)) refuse('validation_failed', 'Content must be an object')
  const max = limits.elicitation.objectCharacters
  if (writeJson(content).length > max)
    refuse('validation_failed', `Content is too large (maximum is ${max} characters of JSON)`)
  return content as JsonObject // an object that came as JSON
}
