export type BoundedBytes = {
  add(chunk: Buffer): void
  /** The kept bytes, as a view that is valid until the next call. */
  kept(): Buffer
  droppedBytes(): number
  clear(): void
}

/**
 * Keeps the first `maxBytes` and counts the rest. Copies the chunks: holding them would cost a hundred times the
 * content for a child that writes byte by byte.
 */
export function boundedBytes(maxBytes: number): BoundedBytes {
  let store: Buffer = empty
  let size = 0
  let dropped = 0

  return {
    add(chunk) {
      const taken = Math.min(chunk.length, maxBytes - size)
      if (size + taken > store.length) store = grown(store, { size, needed: size + taken, maxBytes })
      chunk.copy(store, size, 0, taken)
      size += taken
      dropped += chunk.length - taken
    },
    kept: () => store.subarray(0, size),
    droppedBytes: () => dropped,
    clear() {
      store = empty
      size = 0
      dropped = 0
    },
  }
}

const empty = Buffer.alloc(0)

/** Doubling keeps the total copying linear in the input. */
function grown(store: Buffer, want: { size: number; needed: number; maxBytes: number }): Buffer {
  const larger = Buffer.allocUnsafe(Math.min(want.maxBytes, Math.max(want.needed, store.length * 2)))
  store.copy(larger, 0, 0, want.size)
  return larger
}
