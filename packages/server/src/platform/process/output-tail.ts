import type { Readable } from 'node:stream'
import { storableText } from '../storable-text.ts'
import { withoutFirstWord } from '../whole-words.ts'
import { isSilent } from './silence.ts'
import { withoutCutStart } from './utf8.ts'

export type OutputTail = {
  text(): string
  /** Resolves when the pipe closes. If another process keeps it open, closes it after a short wait. */
  finish(): Promise<void>
}

/** Reads everything a child writes and keeps the end of it, which usually says why the child failed. */
export function outputTail(pipe: Readable, maxBytes: number): OutputTail {
  let tail: Buffer = Buffer.alloc(0)
  pipe.on('data', (chunk: Buffer) => {
    // Copied: a slice would keep the whole chunk in memory.
    tail = Buffer.concat([tail, chunk.subarray(-maxBytes)])
    if (tail.length > maxBytes) tail = Buffer.from(tail.subarray(-maxBytes))
  })
  const closed = new Promise<void>((resolve) => {
    pipe.once('close', resolve)
    // A broken pipe delivers no more data and closes.
    pipe.on('error', () => {})
  })
  return {
    text: () => (tail.length < maxBytes ? storableText(tail) : withoutFirstWord(storableText(withoutCutStart(tail)))),
    async finish() {
      if (await isSilent(closed, inheritedPipeMs)) pipe.destroy()
    },
  }
}

/** Output of the child itself is there at once. This waits for processes that inherited its pipe. */
const inheritedPipeMs = 200
