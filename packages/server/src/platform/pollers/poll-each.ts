import { randomInt } from 'node:crypto'
import { RemoteFailed } from '../remote-failed.ts'

export type Polled<Item> = { done: Item[]; failed: { item: Item; error: RemoteFailed }[] }

/** A system that fails so often in a row is taken to be down. */
const maxFailuresInRow = 3

/**
 * Polls each item, and goes on when the system refuses or fails one of them: a repository that is gone, or a search that
 * always times out, must not keep the others from being polled. Starts at a random item, because a system that fails three
 * times in a row is left alone until the next poll. A throttle ends the poll. Throws if nothing could be polled.
 */
export async function pollEach<Item>(
  items: readonly Item[],
  run: (item: Item) => Promise<void>,
  { signal, firstAt = randomInt }: { signal: AbortSignal; firstAt?(count: number): number },
): Promise<Polled<Item>> {
  const start = items.length === 0 ? 0 : firstAt(items.length)
  const polled: Polled<Item> = { done: [], failed: [] }
  let inRow = 0
  for (const item of [...items.slice(start), ...items.slice(0, start)]) {
    if (signal.aborted || inRow >= maxFailuresInRow) break
    try {
      await run(item)
      polled.done.push(item)
      inRow = 0
    } catch (error) {
      if (!(error instanceof RemoteFailed) || error.kind === 'throttled') throw error
      polled.failed.push({ item, error })
      inRow = error.kind === 'hung' || error.kind === 'unreachable' ? inRow + 1 : 0
    }
  }
  const [first] = polled.failed
  if (first && polled.done.length === 0) throw first.error
  return polled
}
