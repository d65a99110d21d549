import { type RefObject, useEffect } from 'react'
import { patternOf } from './pattern-of.ts'

const name = 'found'

type FoundMarksProps = { scroller: RefObject<HTMLElement | null>; phrase: string; shown: unknown }

/** Marks a phrase in what is on the page, without changing the page: the browser paints `::highlight(found)`. */
export default function FoundMarks({ scroller, phrase, shown }: FoundMarksProps): null {
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows came into sight.
  useEffect(() => {
    const wanted = phrase.trim()
    if (wanted.length < 2 || !scroller.current || !('highlights' in CSS)) return
    CSS.highlights.set(name, marksIn(scroller.current, patternOf(wanted)))
    return () => void CSS.highlights.delete(name)
  }, [scroller, phrase, shown])
  return null
}

function marksIn(element: HTMLElement, pattern: RegExp): Highlight {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  // One by one: a long output may have more of them than a call can have arguments.
  const marks = new Highlight()
  while (walker.nextNode()) {
    const node = walker.currentNode
    for (const { index, 0: found } of (node.nodeValue ?? '').matchAll(pattern)) {
      const range = new Range()
      range.setStart(node, index)
      range.setEnd(node, index + found.length)
      marks.add(range)
    }
  }
  return marks
}
