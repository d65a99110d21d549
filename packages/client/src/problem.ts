/** Thrown for every answer that is not a success. `message` is for people; decide by `status` and `error`. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly status: number
  /** The label of the error, such as `Validation failed`. */
  readonly error: string
  /** One sentence for each thing that is wrong. */
  readonly messages: readonly string[]
  /** Seconds to wait before another attempt, if the server names them. */
  readonly retryAfter: number | undefined

  constructor(status: number, error: string, messages: readonly string[], retryAfter?: number) {
    super(messages.join(', '))
    this.status = status
    this.error = error
    this.messages = messages
    this.retryAfter = retryAfter
  }
}

/** A proxy in between may answer with something that is not our JSON. */
export async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text()
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  const retryAfter = Number.isFinite(seconds) ? seconds : undefined
  try {
    const { error, messages } = JSON.parse(text) as { error: string; messages: string[] } // our shape, or caught below
    if (Array.isArray(messages)) return new Problem(response.status, String(error), messages.map(String), retryAfter)
  } catch {
    // Not JSON: described by the status line below.
  }
  const label = response.statusText || `HTTP ${response.status}`
  return new Problem(response.status, label, [text.slice(0, 200) || label], retryAfter)
}
