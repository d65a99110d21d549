import { inWork } from '../log/work-context.ts'
import type { Span, SpanAbout, Tracing } from './tracing.ts'

/** Runs `work` in a span that ends with it. An error that it throws fails the span. */
export async function inSpan<T>(tracing: Tracing, about: SpanAbout, work: (span: Span) => Promise<T>): Promise<T> {
  const span = tracing.begin(about)
  try {
    return await inWork(span.context, () => work(span))
  } catch (error) {
    span.fail(error instanceof Error ? error.name : 'thrown')
    throw error
  } finally {
    span.end()
  }
}
