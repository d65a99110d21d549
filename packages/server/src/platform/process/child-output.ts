import type { Readable } from 'node:stream'
import { isSilent } from './silence.ts'

export type ChildOutput = {
  chunks: AsyncGenerator<Buffer>
  /** Closes the pipe if nobody ever began to read it. */
  abandonUnread(): void
}

/**
 * What a child writes, at the pace of the reader. It ends with the pipe, or after the child has ended as soon as
 * there is nothing left to read: the child's own children may keep the pipe open for ever. Time alone does not
 * close it, because the reader may be the slow one and the child's last line the one that counts.
 */
export function childOutput(pipe: Readable, exit: Promise<unknown>): ChildOutput {
  let hasExited = false
  let isBeingRead = false
  let isAbandoned = false
  let failure: Error | undefined
  let wake = () => {}

  // A listener from the start, or Node throws the output away when the child ends.
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
    let leftBehindBytes = 0
    try {
      while (leftBehindBytes <= maxLeftBehindBytes) {
        const stirred = new Promise<void>((resolve) => {
          wake = resolve
        })
        const chunk: Buffer | null = pipe.read()
        if (chunk !== null) {
          if (hasExited) leftBehindBytes += chunk.length
          yield chunk
          continue
        }
        if (failure) throw failure
        if (pipe.readableEnded || pipe.destroyed) return
        if (!hasExited) await stirred
        else if (await isSilent(stirred, silenceMs)) return
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

/** What the child wrote is in the pipe by the time it has ended, so the next turn of the loop would nearly do. */
const silenceMs = 200

/** Many times what a socket buffer holds: whoever still writes after this is not the child. */
const maxLeftBehindBytes = 4 * 1024 * 1024
