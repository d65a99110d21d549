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

/** Called if the caller disconnects before the whole answer was written to its connection. */
export type OnUnsent = () => void

/** What a handler may return: one of the declared statuses with the body declared for it. */
export type AnswerOf<Specs extends AnswerSpecs> = {
  [Status in keyof Specs & number]: Answer<Status, BodyOf<Specs[Status]>>
}[keyof Specs & number]

type Answer<Status, Body> = { status: Status; body: Body; onUnsent?: OnUnsent | undefined }

export function answer<const Status extends number, Body>(
  status: Status,
  body: Body,
  onUnsent?: OnUnsent,
): Answer<Status, Body> {
  return { status, body, onUnsent }
}

export const ok = <Body>(body: Body, onUnsent?: OnUnsent) => answer(200, body, onUnsent)
export const created = <Body>(body: Body) => answer(201, body)
export const noContent = () => answer(204, undefined)
