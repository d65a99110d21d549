/** A way through that can be closed: whoever comes then waits until it opens. */
export type Gate = { open(): void; close(): void; passed(): Promise<void> }

export function gate(): Gate {
  let closed: Promise<void> | undefined
  let letThrough: () => void = () => undefined
  return {
    open: () => {
      closed = undefined
      letThrough()
    },
    close: () => {
      closed ??= new Promise((resolve) => {
        letThrough = resolve
      })
    },
    passed: async () => {
      while (closed) await closed
    },
  }
}
