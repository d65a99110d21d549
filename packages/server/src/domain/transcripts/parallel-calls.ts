import { blocksOf, type Fields, partsOf } from './entry-parts.ts'

export type ParallelCalls = {
  /** Takes note of the calls of the next entry. */
  see(entry: Fields): void
  /** The call that a result belongs to, if several calls were open together. */
  callOf(result: Fields): string | undefined
}

/** Follows the tool calls of a transcript in order, to say which of several parallel calls a result belongs to. */
export function parallelCalls(): ParallelCalls {
  const open = new Map<unknown, string>()
  let areParallel = false
  return {
    see(entry) {
      const blocks = blocksOf(partsOf(entry).message)
      // A prompt ends what a killed agent left open.
      if (entry.type === 'user' && blocks.some(({ type }) => type === 'text')) open.clear()
      if (open.size === 0) areParallel = false
      for (const block of blocks) if (block.type === 'tool_use') open.set(block.id, nameOf(block))
      areParallel ||= open.size > 1
    },
    callOf({ tool_use_id: id }) {
      const call = open.get(id)
      open.delete(id)
      return areParallel ? call : undefined
    },
  }
}

function nameOf({ name, input }: Fields): string {
  const text = `${name} ${JSON.stringify(input ?? {})}`
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters - 1)}…`
}

const maxCharacters = 100
