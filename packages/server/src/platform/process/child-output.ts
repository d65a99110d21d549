import type { Readable } from 'node:stream'
import { isSilent } from './silence.ts'

export type ChildOutput = {
  chunks: AsyncGenerator<Buffer>
  /** Closes the pipe if reading has never begun. */
  abandonUnread(): void
}

/**
 * The output of a child, at the pace of the reader. It ends with the pipe, or once the child has exited and nothing is
 * left to read: descendants may keep the pipe open forever. Elapsed time alone does not close it, because the reader
 * may be slow and the last line of the child matters most.
 */
export function childOutput(pipe: Readable, exit: Promise<unknown>): ChildOutput {
  let hasExited = false
  let isBeingRead = false
  let isAbandoned = false
  let failure: Error | undefined
  let wake = () => {}

  // Listen from the start: without a listener Node discards the output when the child ends.
  pipe.on('readable', () => wake())
  pipe.on('end', () => wake())
  pipe.on('close', () => wake())
  pipe.on('error', (error) => {
    failure = error
    wake()
  })
  void exit.then(() => {
    hasExited = true
    wake()
  })

  async function* chunks(): AsyncGenerator<Buffer> {
    if (isAbandoned) return
    isBeingRead = true
    let bytesAfterExit = 0
    try {
      while (bytesAfterExit <= maxBytesAfterExit) {
        const activity = new Promise<void>((resolve) => {
          wake = resolve
        })
        const chunk: Buffer | null = pipe.read()
        if (chunk !== null) {
          if (hasExited) bytesAfterExit += chunk.length
          yield chunk
          continue
        }
        if (failure) throw failure
        if (pipe.readableEnded || pipe.destroyed) return
        if (!hasExited) await activity
        else if (await isSilent(activity, silenceMs)) return
      }
    } finally {
      pipe.destroy()
    }
  }

  return {
    chunks: chunks(),
    abandonUnread() {
      if (isBeingRead) return
      isAbandoned = true
      pipe.destroy()
    },
  }
}

/** All output of the child is in the pipe when it exits, so one iteration of the event loop would nearly do. */
const silenceMs = 200

/** Many times the size of a socket buffer. Output beyond it comes from another process than the child. */
const maxBytesAfterExit = 4 * 1024 * 1024
