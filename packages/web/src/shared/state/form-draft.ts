import { useCallback, useMemo } from 'react'
import { useDraft } from './draft.ts'

/** The values of a form, kept like a draft. `clear` it after the server accepted them, or to discard what was typed. */
export function useFormDraft<Values extends object>(
  name: string,
  empty: Values,
): { values: Values; isChanged: boolean; change: (changes: Partial<Values>) => void; clear: () => void } {
  const [text, setText] = useDraft(name)
  const values = useMemo(() => ({ ...empty, ...read(text) }), [text, empty])
  const change = useCallback(
    (changes: Partial<Values>) => setText(JSON.stringify({ ...values, ...changes })),
    [values, setText],
  )
  return { values, isChanged: text !== '', change, clear: useCallback(() => setText(''), [setText]) }
}

/** A text that is no object, such as one of an older version, counts as no draft. */
function read(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
