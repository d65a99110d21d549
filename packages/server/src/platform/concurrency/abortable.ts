/** Waits for a promise, or throws the signal's reason, whichever comes first. What was waited for goes on. */
export async function giveUpOnAbort<T>(awaited: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return awaited
  signal.throwIfAborted()
  let stopListening = () => {}
  const aborted = new Promise<never>((_, reject) => {
    const giveUp = () => reject(signal.reason)
    signal.addEventListener('abort', giveUp, { once: true })
    stopListening = () => signal.removeEventListener('abort', giveUp)
  })
  try {
    return await Promise.race([awaited, aborted])
  } finally {
    stopListening()
  }
}
