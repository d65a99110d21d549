import { useSyncExternalStore } from 'react'
import { keep } from './keep.ts'

/** What a person chooses for this browser; the first of each is the default. The style sheet acts on `data-theme` and `data-times`. */
const choices = { theme: ['system', 'light', 'dark'], times: ['ages', 'exact'] } as const
type Name = keyof typeof choices

export type Choice<Of extends Name> = (typeof choices)[Of][number]

const changed = 'appearance'

/** `public/appearance.js` applies the choice before the first paint. */
export function useAppearance<Of extends Name>(name: Of): [chosen: Choice<Of>, choose: (next: Choice<Of>) => void] {
  const { dataset } = document.documentElement
  const values: readonly Choice<Of>[] = choices[name]
  const usual = values[0] as Choice<Of>
  const chosen = useSyncExternalStore(onChange, () => values.find((value) => value === dataset[name]) ?? usual)
  const choose = (next: Choice<Of>) => {
    const isUsual = next === usual
    keep(`yardmaster.${name}`, isUsual ? '' : next)
    if (isUsual) delete dataset[name]
    else dataset[name] = next
    dispatchEvent(new Event(changed))
  }
  return [chosen, choose]
}

function onChange(listener: () => void): () => void {
  addEventListener(changed, listener)
  return () => removeEventListener(changed, listener)
}
