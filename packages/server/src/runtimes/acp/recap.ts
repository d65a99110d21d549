import { z } from 'zod'
import { openUntrusted } from '../../platform/files/untrusted-file.ts'
import { parseJson } from '../../platform/parse-json.ts'
import { readLines } from '../../platform/process/line-stream.ts'
import { maxTranscriptBytes } from '../runtime.ts'

/** About twelve thousand tokens: enough to continue, and it fits every model. */
const maxCharacters = 48_000
const maxFirstCharacters = 4000
const maxToolCharacters = 600

/** The first message and the latest part of a conversation as text. Undefined without a transcript. */
export async function recap({ path, within }: { path: string; within: string }): Promise<string | undefined> {
  const file = await openUntrusted(path, { within, maxBytes: maxTranscriptBytes })
  if (!file) return undefined
  const latest = lastPieces(maxCharacters)
  let first: string | undefined
  try {
    for await (const { text } of readLines(file.createReadStream({ autoClose: false }), { maxLineBytes })) {
      for (const piece of piecesOf(text)) {
        first ??= cut(piece, maxFirstCharacters)
        latest.add(piece)
      }
    }
  } finally {
    await file.close()
  }
  if (first === undefined) return undefined
  const gap = latest.dropped() === 0 ? [] : [first, `[${latest.dropped()} entries are left out here]`]
  return [...gap, ...latest.pieces()].join('\n\n')
}

const maxLineBytes = 4 * 1024 * 1024

/** Keeps as many of the last pieces as fit, and always the last one, truncated if necessary. */
function lastPieces(limit: number) {
  let kept: string[] = []
  let size = 0
  let droppedCount = 0
  return {
    add(piece: string) {
      const fitting = cut(piece, limit)
      kept.push(fitting)
      size += fitting.length
      let spare = 0
      while (size > limit) {
        size -= kept[spare]?.length ?? 0
        spare += 1
      }
      droppedCount += spare
      if (spare > 0) kept = kept.slice(spare)
    },
    pieces: () => kept,
    dropped: () => droppedCount,
  }
}

const Block = z.object({
  type: z.string(),
  text: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  input: z.unknown().optional(),
  content: z.unknown().optional(),
})

const Entry = z.object({
  type: z.enum(['user', 'assistant']),
  message: z.object({ content: z.union([z.string(), z.array(Block)]) }),
})

/** Leaves out thinking. */
function piecesOf(line: string): string[] {
  const entry = Entry.safeParse(parseJson(line)).data
  if (!entry) return []
  const speaker = entry.type === 'user' ? 'User' : 'You'
  const { content } = entry.message
  if (typeof content === 'string') return [`${speaker}: ${content}`]
  return content.flatMap((block) => {
    if (block.type === 'text') return [`${speaker}: ${block.text ?? ''}`]
    if (block.type === 'tool_use') return [`Tool ${block.name ?? ''}: ${cut(plain(block.input), maxToolCharacters)}`]
    if (block.type === 'tool_result') return [`Result: ${cut(plain(block.content), maxToolCharacters)}`]
    return []
  })
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`
}
