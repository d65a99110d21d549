export type BoundedBytes = {
  add(chunk: Buffer): void
  /** What was kept. A view, good until the next call. */
  kept(): Buffer
  droppedBytes(): number
  clear(): void
}

/**
 * Keeps the first `maxBytes` of what it is given and counts the rest. The chunks are copied, not held: a child that
 * writes byte by byte would otherwise cost a hundred times what it wrote.
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

/** Doubling keeps the copying linear in what arrives. */
function grown(store: Buffer, want: { size: number; needed: number; maxBytes: number }): Buffer {
  const larger = Buffer.allocUnsafe(Math.min(want.maxBytes, Math.max(want.needed, store.length * 2)))
  store.copy(larger, 0, 0, want.size)
  return larger
}
