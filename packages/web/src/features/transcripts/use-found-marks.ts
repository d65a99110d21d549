import { type RefObject, useEffect } from 'react'

const name = 'found'

/** Marks a phrase in what is on the page, without changing the page: the browser paints `::highlight(found)`. */
export function useFoundMarks(scroller: RefObject<HTMLElement | null>, phrase: string, shown: unknown): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows came into sight.
  useEffect(() => {
    const wanted = phrase.trim().toLowerCase()
    if (wanted.length < 2 || !scroller.current || !('highlights' in CSS)) return
    CSS.highlights.set(name, new Highlight(...rangesIn(scroller.current, wanted)))
    return () => void CSS.highlights.delete(name)
  }, [scroller, phrase, shown])
}

function rangesIn(element: HTMLElement, wanted: string): Range[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  const ranges: Range[] = []
  while (walker.nextNode()) {
    const node = walker.currentNode
    const text = node.nodeValue?.toLowerCase() ?? ''
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      const range = new Range()
      range.setStart(node, at)
      range.setEnd(node, at + wanted.length)
      ranges.push(range)
    }
  }
  return ranges
}
