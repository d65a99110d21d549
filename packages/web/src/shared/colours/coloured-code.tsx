import { type ReactNode, useEffect, useState } from 'react'
import { colour } from './colour.ts'
import type { Piece } from './pieces.ts'

type Coloured = { text: string; language: string; pieces: readonly Piece[] }

/** Code as it is until it has its colours. React makes the elements, so nothing in it is ever HTML. */
export default function ColouredCode({ text, language }: { text: string; language: string }): ReactNode {
  const [coloured, setColoured] = useState<Coloured>()
  useEffect(() => {
    const abort = new AbortController()
    void colour(text, language, abort.signal).then((pieces) => {
      if (pieces && !abort.signal.aborted) setColoured({ text, language, pieces })
    })
    return () => abort.abort()
  }, [text, language])
  if (coloured?.text !== text || coloured.language !== language) return text
  return coloured.pieces.map(({ text, ink }, index) =>
    ink === undefined ? (
      text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity.
      <span key={index} className={ink}>
        {text}
      </span>
    ),
  )
}
