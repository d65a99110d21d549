/** While the gate is closed, `passed` waits. */
export type Gate = { open(): void; close(): void; passed(): Promise<void> }

export function gate(): Gate {
  let closed: Promise<void> | undefined
  let release: () => void = () => undefined
  return {
    open: () => {
      closed = undefined
      release()
    },
    close: () => {
      closed ??= new Promise((resolve) => {
        release = resolve
      })
    },
    passed: async () => {
      while (closed) await closed
    },
  }
}
