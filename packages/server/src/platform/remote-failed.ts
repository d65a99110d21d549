import { storable } from './storable-text.ts'
import { truncate } from './truncate.ts'

/** An error page can be of any length. */
const maxMessage = 500

/** A system that we do not own refused a request or did not answer it. */
export class RemoteFailed extends Error {
  override readonly name = 'RemoteFailed'
  readonly kind: 'throttled' | 'refused' | 'unreachable' | 'hung' | 'incomplete'
  /** How long the system asked us to wait, if it did. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    kind: RemoteFailed['kind'],
    message: string,
    about: { retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(truncate(storable(message), maxMessage), { cause: about.cause })
    this.kind = kind
    this.retryAfterSeconds = about.retryAfterSeconds
  }
}

/** The answer, or `otherwise` where the system refuses to give one: the item is gone, or is not for us. */
export async function unlessRefused<T>(answer: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof RemoteFailed && error.kind === 'refused') return otherwise
    throw error
  }
}
