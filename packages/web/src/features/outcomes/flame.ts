import type { Result } from '../../shared/api/client.ts'

export type Analysis = Result<'outcome_analyses.show'>['outcome_analysis']
export type Segment = Analysis['root']

/** A segment in the graph: from `left` to `right` of its width (0 to 1), at a depth. */
export type Block = { segment: Segment; left: number; right: number; depth: number; parent: Block | undefined }

/**
 * The blocks in the order of the tree. Where the events of all parts of a segment are known, the parts lie where they happened;
 * else each part is as wide as the leaves below it.
 */
export function blocksOf(root: Segment): Block[] {
  const blocks: Block[] = []
  const place = (block: Block) => {
    blocks.push(block)
    const { segment, left, right, depth } = block
    const width = right - left
    const range = rangeOf(segment)
    const ranges = segment.children.map(rangeOf)
    const leaves = segment.children.map(countLeaves)
    const all = leaves.reduce((sum, count) => sum + count, 0)
    let at = left
    segment.children.forEach((child, index) => {
      const known = ranges[index]
      const isTimed = range !== undefined && ranges.every((each) => each !== undefined)
      const events = range ? range[1] - range[0] + 1 : 1
      const from = isTimed && known && range ? left + ((known[0] - range[0]) / events) * width : at
      const to =
        isTimed && known && range
          ? left + ((known[1] - range[0] + 1) / events) * width
          : at + (Number(leaves[index]) / all) * width
      // Ranges are claims: they are kept inside of the parent and behind the part before.
      const start = Math.min(Math.max(from, at), right)
      at = Math.min(Math.max(to, start), right)
      place({ segment: child, left: start, right: at, depth: depth + 1, parent: block })
    })
  }
  place({ segment: root, left: 0, right: 1, depth: 0, parent: undefined })
  return blocks
}

/** The first and the last entry of a segment; undefined if its range names no entries. */
export function rangeOf({ meta: { event_range } }: Segment): [number, number] | undefined {
  const [first, last] = (event_range ?? []).map((name) => Number(/^e?(\d+)$/.exec(name)?.[1] ?? Number.NaN))
  return first !== undefined && last !== undefined && last >= first ? [first, last] : undefined
}

function countLeaves({ children }: Segment): number {
  return children.length === 0 ? 1 : children.reduce((sum, child) => sum + countLeaves(child), 0)
}
