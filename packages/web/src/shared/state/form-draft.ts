import { useCallback, useMemo } from 'react'
import { draftOf, type Sending, useDraft, useSending } from './draft.ts'

export type FormDraft<Values> = Sending & {
  values: Values
  isChanged: boolean
  change: (changes: Partial<Values> | ((now: Values) => Partial<Values>)) => void
  /** Discards what was typed. */
  clear: () => void
}

/** The values of a form, kept like a draft. */
export function useFormDraft<Values extends object>(name: string, empty: Values): FormDraft<Values> {
  const [text, setText] = useDraft(name)
  const values = useMemo(() => ({ ...empty, ...read(text) }), [text, empty])
  const change = useCallback<FormDraft<Values>['change']>(
    (next) => {
      const now = read(draftOf(name))
      const changes = typeof next === 'function' ? next({ ...empty, ...now }) : next
      // Only what was changed: the rest may be another by the time the form is opened again.
      setText(JSON.stringify({ ...now, ...changes }))
    },
    [name, setText, empty],
  )
  const sending = useSending(name)
  return {
    ...sending,
    values,
    isChanged: text !== '',
    change,
    clear: useCallback(() => setText(''), [setText]),
  }
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
