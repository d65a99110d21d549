import type { AnswerSpec, Declaration } from '@yardmaster/contract/endpoint'
import type { z } from 'zod'

/** zod types an empty object as one that allows no key at all, which would forbid the keys of the other places. */
type Sent<Schema> = Schema extends z.ZodType
  ? string extends keyof z.input<Schema>
    ? unknown
    : z.input<Schema>
  : unknown
type Flat<Type> = { [Key in keyof Type]: Type[Key] }

/** Path, query and body keys of an operation in one object. */
export type InputOf<Each extends Declaration> = Flat<Sent<Each['params']> & Sent<Each['query']> & Sent<Each['body']>>

type BodyOf<Spec> = Spec extends readonly (infer Alternative)[]
  ? BodyOf<Alternative>
  : Spec extends z.ZodType
    ? z.output<Spec>
    : Spec extends 'text'
      ? string
      : Spec extends 'zip'
        ? ReadableStream<Uint8Array>
        : Spec extends AnswerSpec
          ? undefined
          : never

type Success = 200 | 201 | 202 | 204

/** What a successful call returns: the body, or undefined where there is none. */
export type ResultOf<Each extends Declaration> = {
  [Status in keyof Each['answers'] & Success]: BodyOf<Each['answers'][Status]>
}[keyof Each['answers'] & Success]

export type CallOptions = { signal?: AbortSignal }

type Method<Each extends Declaration> =
  Record<never, never> extends InputOf<Each>
    ? (input?: InputOf<Each>, options?: CallOptions) => Promise<ResultOf<Each>>
    : (input: InputOf<Each>, options?: CallOptions) => Promise<ResultOf<Each>>

/** The event stream is no call: `client.events` follows it. */
type Callable<Each extends Declaration> = Exclude<Each, { name: 'events.stream' }>

type ResourceOf<Name> = Name extends `${infer Resource}.${string}` ? Resource : never

/** `sessions.create` is `operations.sessions.create`. */
export type Operations<Declared extends Declaration> = {
  [Resource in ResourceOf<Callable<Declared>['name']>]: {
    [Each in Callable<Declared> as Each['name'] extends `${Resource}.${infer Verb}` ? Verb : never]: Method<Each>
  }
}
