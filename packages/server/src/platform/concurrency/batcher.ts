import { inWork, outsideWork, type WorkContext, workUnderway } from '../log/work-context.ts'

/** Handles a batch and returns one result per item, in the order of the items. */
type Handle<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>

export type Batcher = {
  /** Resolves with the result for `item`. Every caller that uses one key must pass the same kind of item and `handle`. */
  submit<Item, Result>(key: string, item: Item, handle: Handle<Item, Result>): Promise<Result>
}

/** Bounds memory, since an item may hold a long text, and how long a batch keeps the row locks it takes. */
const batchMaxItems = 100

type Pending = {
  item: unknown
  context: WorkContext
  resolve(result: unknown): void
  reject(error: unknown): void
}

/**
 * Group commit. The first item under a key is handled at once. Items submitted meanwhile wait without holding a
 * connection or lock, and then form the next batch, in the order of submission.
 *
 * An error rejects the whole batch, so `handle` reports a problem with a single item as that item's result. Batches of
 * other processes are not coordinated: `handle` takes the database lock it needs. What a batch of several callers logs carries
 * the ids of none of them.
 */
export function createBatcher(): Batcher {
  const queues = new Map<string, Pending[]>()

  const drain = async <Item, Result>(key: string, queue: Pending[], handle: Handle<Item, Result>): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.splice(0, batchMaxItems)
      try {
        const items = batch.map(({ item }) => item as Item) // one key, one kind of item
        const [first] = batch
        const context = first && batch.length === 1 ? first.context : {}
        const results = await outsideWork(() => inWork(context, () => handle(items)))
        if (results.length !== batch.length)
          throw new Error(`A batch of ${batch.length} items returned ${results.length} results`)
        for (const [index, { resolve }] of batch.entries()) resolve(results[index])
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    queues.delete(key)
  }

  return {
    submit: <Item, Result>(key: string, item: Item, handle: Handle<Item, Result>) =>
      new Promise<Result>((resolve, reject) => {
        const context = workUnderway()
        const pending: Pending = { item, context, resolve: (result) => resolve(result as Result), reject } // as above
        const queue = queues.get(key)
        if (queue) {
          queue.push(pending)
          return
        }
        const opened = [pending]
        queues.set(key, opened)
        void drain(key, opened, handle)
      }),
  }
}
