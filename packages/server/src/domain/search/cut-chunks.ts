import { fold, sharedUnits } from './phrase.ts'

/** Smaller ones make a larger index, larger ones hold every three letters there are (docs/decisions/0016). */
const chunkBytes = 8192

/**
 * Lines as the index keeps them: in lower case, joined to chunks that end where a line ends. A line that is longer than a
 * chunk is cut into pieces that overlap, so that what stands on a cut stands whole in one of them.
 */
export function cutChunks(lines: readonly string[]): string[] {
  const chunks: string[] = []
  let open: string[] = []
  let openBytes = 0
  const close = (): void => {
    if (open.length > 0) chunks.push(open.join('\n'))
    open = []
    openBytes = 0
  }
  for (const line of lines.map(fold)) {
    const bytes = Buffer.byteLength(line)
    if (openBytes + bytes > chunkBytes) close()
    if (bytes > chunkBytes) chunks.push(...pieces(line, bytes))
    else {
      open.push(line)
      openBytes += bytes + 1
    }
  }
  close()
  return chunks
}

function pieces(line: string, bytes: number): string[] {
  // At least twice what is shared, or there would be no getting on.
  const units = Math.max(2 * sharedUnits, Math.floor((chunkBytes * line.length) / bytes))
  const cut: string[] = []
  for (let start = 0; ; start += units - sharedUnits) {
    const end = start + units
    // A character of two units goes into both pieces whole.
    cut.push(line.slice(isSecondHalf(line, start) ? start - 1 : start, isSecondHalf(line, end) ? end + 1 : end))
    if (end >= line.length) return cut
  }
}

function isSecondHalf(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff
}
