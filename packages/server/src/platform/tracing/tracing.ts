import type { WorkContext } from '../log/work-context.ts'

/** Never a prompt, an answer, a path, an address with a query, or the text of an error. */
export type Attributes = Record<string, string | number | boolean>

export type SpanAbout = {
  /** Of a small set: no ids. */
  name: string
  kind?: 'server' | 'internal'
  /** The `traceparent` of the span that caused this one. Default: the span underway. Null: none, a new trace begins. */
  parent?: string | null | undefined
  attributes?: Attributes
}

export type Span = {
  /** What work in this span carries. */
  context: Pick<WorkContext, 'trace_id' | 'span_id' | 'trace_flags'>
  set(attributes: Attributes): void
  /** Marks the span as failed, by a word for the kind of failure. */
  fail(type: string): void
  end(): void
}

export type Tracing = {
  isOn: boolean
  begin(about: SpanAbout): Span
  /** Sends what is left, within a few seconds. */
  close(): Promise<void>
}

const noSpan: Span = { context: {}, set: () => undefined, fail: () => undefined, end: () => undefined }

/** Where no collector is configured. The code that traces is not loaded then. */
export const noTracing: Tracing = { isOn: false, begin: () => noSpan, close: async () => undefined }
