import type { Readable } from 'node:stream'
import type { z } from 'zod'

/** What an endpoint may answer with under one status: a JSON schema, nothing, plain text, or a stream of events. */
export type AnswerSpec = z.ZodType | 'nothing' | 'text' | 'event-stream'
export type AnswerSpecs = Record<number, AnswerSpec | readonly AnswerSpec[]>

type BodyOf<Spec> = Spec extends z.ZodType
  ? z.output<Spec>
  : Spec extends 'nothing'
    ? undefined
    : Spec extends 'text'
      ? string | Readable
      : Spec extends 'event-stream'
        ? Readable
        : Spec extends readonly (infer Alternative)[]
          ? BodyOf<Alternative>
          : never

export type AnswerOf<Specs extends AnswerSpecs> = {
  [Status in keyof Specs & number]: { status: Status; body: BodyOf<Specs[Status]> }
}[keyof Specs & number]

export function answer<const Status extends number, Body>(status: Status, body: Body): { status: Status; body: Body } {
  return { status, body }
}

export const ok = <Body>(body: Body) => answer(200, body)
export const created = <Body>(body: Body) => answer(201, body)
export const noContent = () => answer(204, undefined)
