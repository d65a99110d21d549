import { z } from 'zod'

export type JsonObject = Record<string, unknown>

/**
 * A caller's own JSON object, exactly as parsed. `z.record` would rebuild the object and lose a key named `__proto__`,
 * which is data like any other.
 */
export const JsonObject = z
  .custom<JsonObject>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
    message: 'must be an object',
  })
  .meta({ type: 'object', additionalProperties: true })
