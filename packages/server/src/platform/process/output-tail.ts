import type { Readable } from 'node:stream'
import { storableText } from '../storable-text.ts'
import { isSilent } from './silence.ts'
import { withoutCutStart } from './utf8.ts'

export type OutputTail = {
  text(): string
  /** Resolves once the pipe has closed, or shortly after this call if somebody keeps it open; it is closed then. */
  finish(): Promise<void>
}

/** Reads all a child writes and keeps the end of it: what it said last is why it failed. */
export function outputTail(pipe: Readable, maxBytes: number): OutputTail {
  let tail: Buffer = Buffer.alloc(0)
  pipe.on('data', (chunk: Buffer) => {
    // Copied, so that a large chunk is not kept alive by its last bytes.
    tail = Buffer.concat([tail, chunk.subarray(-maxBytes)])
    if (tail.length > maxBytes) tail = Buffer.from(tail.subarray(-maxBytes))
  })
  const closed = new Promise<void>((resolve) => {
    pipe.once('close', resolve)
    // A pipe that breaks has nothing more to say, and closes.
    pipe.on('error', () => {})
  })
  return {
    text: () => storableText(tail.length < maxBytes ? tail : withoutCutStart(tail)),
    async finish() {
      if (await isSilent(closed, patienceMs)) pipe.destroy()
    },
  }
}

/** What the child itself wrote is there at once; this is for whoever inherited its pipe. */
const patienceMs = 200
