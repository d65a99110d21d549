import { storableText } from '../storable-text.ts'
import { boundedBytes } from './bounded-bytes.ts'
import { withoutCutEnd } from './utf8.ts'

export type Line = {
  text: string
  /** How many bytes of the line are missing at the end of `text`. */
  truncatedBytes: number
}

/**
 * The lines of a byte stream. Memory is bounded by `maxLineBytes` and one chunk. The reader sets the pace: the next
 * chunk is read only when all lines of the current one have been pulled.
 */
export async function* readLines(
  source: AsyncIterable<Buffer>,
  { maxLineBytes }: { maxLineBytes: number },
): AsyncGenerator<Line> {
  const partial = boundedBytes(maxLineBytes)
  let lastByte: number | undefined

  for await (const chunk of source) {
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const piece = chunk.subarray(start, end)
      start = end + 1
      if (lastByte === undefined && piece.length <= maxLineBytes) {
        yield { text: storableText(endsInReturn(piece) ? piece.subarray(0, -1) : piece), truncatedBytes: 0 }
        continue
      }
      partial.add(piece)
      yield lineOf(partial.kept(), partial.droppedBytes(), piece.at(-1) ?? lastByte)
      partial.clear()
      lastByte = undefined
    }
    if (start === chunk.length) continue
    partial.add(chunk.subarray(start))
    lastByte = chunk.at(-1)
  }
  if (lastByte !== undefined) yield lineOf(partial.kept(), partial.droppedBytes(), lastByte)
}

const newline = 0x0a
const carriageReturn = 0x0d

function endsInReturn(piece: Buffer): boolean {
  return piece.at(-1) === carriageReturn
}

/** A carriage return at the end is part of the line break, whether it was kept or fell beyond the limit. */
function lineOf(kept: Buffer, droppedBytes: number, lastByte: number | undefined): Line {
  const returnBytes = lastByte === carriageReturn ? 1 : 0
  const sizeBytes = kept.length + droppedBytes - returnBytes
  const whole = kept.subarray(0, sizeBytes)
  if (whole.length === sizeBytes) return { text: storableText(whole), truncatedBytes: 0 }
  const cut = withoutCutEnd(whole)
  return { text: storableText(cut), truncatedBytes: sizeBytes - cut.length }
}
