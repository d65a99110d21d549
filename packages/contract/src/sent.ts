import { z } from 'zod'
import type { RefusalKind } from './problem.ts'

/*
 * Some fields accept several spellings, or refuse a bad value under a label of their own. Their schema lets any value in
 * and reads it in a transform. These functions give such a field the type that a client should send; at run time
 * each is the plain schema it is made of, and the cast only adds that type.
 */

/** An optional key. */
export function optionallySent<Input>() {
  return z.unknown().optional() as unknown as z.ZodOptional<z.ZodCustom<unknown, Input>>
}

/** A required key whose absence the transform refuses. The documentation says so in words unless `value` is required. */
export function sent<Input>(value: z.ZodType = z.unknown().optional()) {
  return value as unknown as z.ZodCustom<unknown, Input>
}

/** A value in a path or a query, where everything is text: a client passes an `Input`, and it is written as text. */
export function sentAsText<Input>(text: z.ZodString = z.string()) {
  return text as unknown as z.ZodCustom<string, Input>
}

/** A value as text for a sentence or a later check. JSON instead of `String`: a sent object may have a hostile `toString`. */
export function asWritten(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** Refuses a value under its own label instead of `Validation failed`. The sentence is answered as it is. */
export function refuseField(context: z.core.$RefinementCtx, refusal: RefusalKind, sentence: string): never {
  context.addIssue({ code: 'custom', message: sentence, params: { refusal } })
  return z.NEVER
}

/** The label that `refuseField` gave an issue; undefined for an ordinary one. */
export function refusalOf(issue: z.core.$ZodIssue): RefusalKind | undefined {
  return issue.code === 'custom' ? (issue.params?.refusal as RefusalKind | undefined) : undefined // written by refuseField
}
