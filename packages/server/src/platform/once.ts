/** Calls `make` on the first use and caches the value. */
export function once<T extends {}>(make: () => T): () => T {
  let value: T | undefined
  return () => {
    value ??= make()
    return value
  }
}
