import { useCommands } from '../../shared/keys/commands.tsx'

/**
 * j and k move through the cards and the lines below them, Enter opens, a answers or does the main thing, d declines or marks as seen.
 * a and d press the control that has them as its `data-key`, so that a key and a button never answer twice.
 */
export function useInboxKeys(places: readonly string[], cursor: string | undefined, focus: (id: string) => void): void {
  const at = places.indexOf(cursor ?? '')
  const current = () => document.getElementById(places[at] ?? '')
  const go = (to: number) => {
    const next = places[Math.min(Math.max(to, 0), places.length - 1)]
    if (next) focus(next)
  }
  const press = (key: 'a' | 'd') => {
    const control = current()?.querySelector<HTMLElement>(`[data-key=${key}]`)
    control?.click()
    return control
  }
  const answer = () => {
    if (press('a')) return
    const card = current()
    const control = card?.querySelector<HTMLElement>('input, select, textarea') ?? card?.querySelector('button')
    control?.focus()
  }
  const decline = () => {
    // A question leaves the page with its answer; the cursor moves on from a card that is marked as seen.
    if (press('d')?.closest('form') === null) go(at + 1)
  }
  const group = 'Inbox'
  useCommands([
    { id: 'inbox next', label: 'Next', group, keys: 'j', isHidden: true, run: () => go(at + 1) },
    { id: 'inbox previous', label: 'Previous', group, keys: 'k', isHidden: true, run: () => go(at - 1) },
    { id: 'inbox answer', label: 'Accept, or go to the form', group, keys: 'a', isHidden: true, run: answer },
    { id: 'inbox decline', label: 'Decline, or mark as seen', group, keys: 'd', isHidden: true, run: decline },
  ])
}
