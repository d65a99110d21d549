import { fold, sharedUnits } from './phrase.ts'

/** Smaller chunks make a larger index; larger chunks contain almost every trigram (docs/decisions/0016). */
const chunkBytes = 8192

/** `line` is the index of its first line, or of the line that it is a piece of. */
export type Chunk = { text: string; line: number }

/**
 * Lines as the index stores them: case-folded and joined into chunks that end at a line end. A line longer than a chunk is
 * cut into overlapping pieces, so that a phrase across a cut is whole in one of them.
 */
export function cutChunks(lines: readonly string[]): Chunk[] {
  const chunks: Chunk[] = []
  let open: string[] = []
  let openBytes = 0
  const close = (end: number): void => {
    if (open.length > 0) chunks.push({ text: open.join('\n'), line: end - open.length })
    open = []
    openBytes = 0
  }
  for (const [index, line] of lines.map(fold).entries()) {
    const bytes = Buffer.byteLength(line)
    if (openBytes + bytes > chunkBytes) close(index)
    if (bytes > chunkBytes) chunks.push(...pieces(line, bytes).map((text) => ({ text, line: index })))
    else {
      open.push(line)
      openBytes += bytes + 1
    }
  }
  close(lines.length)
  return chunks
}

function pieces(line: string, bytes: number): string[] {
  // At least twice the overlap, so that each piece makes progress.
  const units = Math.max(2 * sharedUnits, Math.floor((chunkBytes * line.length) / bytes))
  const cut: string[] = []
  for (let start = 0; ; start += units - sharedUnits) {
    const end = start + units
    // A surrogate pair at a cut goes into both pieces.
    cut.push(line.slice(isLowSurrogate(line, start) ? start - 1 : start, isLowSurrogate(line, end) ? end + 1 : end))
    if (end >= line.length) return cut
  }
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff
}
