import type { Readable } from 'node:stream'
import type { AnswerSpecs } from '@yardmaster/contract/endpoint'
import type { z } from 'zod'
import type { Download } from './download.ts'

type BodyOf<Spec> = Spec extends z.ZodType
  ? z.output<Spec>
  : Spec extends 'nothing'
    ? undefined
    : Spec extends 'text'
      ? string | Readable
      : Spec extends 'event-stream'
        ? Readable
        : Spec extends 'zip'
          ? Download
          : Spec extends readonly (infer Alternative)[]
            ? BodyOf<Alternative>
            : never

/** What a handler may return: one of the declared statuses with the body declared for it. */
export type AnswerOf<Specs extends AnswerSpecs> = {
  [Status in keyof Specs & number]: { status: Status; body: BodyOf<Specs[Status]> }
}[keyof Specs & number]

export function answer<const Status extends number, Body>(status: Status, body: Body): { status: Status; body: Body } {
  return { status, body }
}

export const ok = <Body>(body: Body) => answer(200, body)
export const created = <Body>(body: Body) => answer(201, body)
export const noContent = () => answer(204, undefined)
