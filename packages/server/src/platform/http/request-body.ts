import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { Refusal } from '../refusal.ts'
import { asJsonBody, Form } from './form-body.ts'
import { parseBody } from './validation.ts'

/** The body of a route that is not an endpoint, by its schema; or its refusal. */
export function bodyOf<Schema extends z.ZodType>({ body }: FastifyRequest, schema: Schema): z.output<Schema> {
  if (body instanceof Refusal) throw body
  const sent = body instanceof Form ? asJsonBody(body, schema) : Object(body ?? {})
  return parseBody(schema, sent) as z.output<Schema> // parsed by that schema
}
