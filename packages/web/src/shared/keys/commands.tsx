import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { IconName } from '../kit/icon.tsx'
import { keep, kept } from '../state/keep.ts'

/** Something a person can do, by a key, from the palette, or both. */
export type Command = {
  id: string
  label: string
  /** A heading in the palette and in the list of keys, such as "Go to". */
  group: string
  /** `g b` is two presses after another, `mod+k` one with Ctrl or ⌘. */
  keys?: string
  icon?: IconName
  /** Also while a field has the focus. */
  worksInFields?: boolean
  /** Keys such as "next row" mean nothing in the palette. */
  isHidden?: boolean
  /** In a part such as the drawer, which is loaded in no fixed order with the page around it: wins over the page. */
  isInner?: boolean
  run: () => void
}

type Registry = {
  all(): readonly Command[]
  subscribe(listener: () => void): () => void
  newPlace(): number
  put(place: number, commands?: readonly Command[]): void
}

const RegistryContext = createContext<Registry | undefined>(undefined)

export function CommandsProvider({ children }: { children: ReactNode }): ReactNode {
  const registry = useMemo(createRegistry, [])
  useEffect(() => listenToKeys(registry), [registry])
  return <RegistryContext value={registry}>{children}</RegistryContext>
}

/** Offers commands while the component is on the page. Of two with the same keys the inner one wins, else the one that came later. */
export function useCommands(commands: readonly Command[]): void {
  const registry = useRegistry()
  // From its first render on, so that a component comes after those around it, and keeps its place when its commands change.
  const [place] = useState(registry.newPlace)
  const latest = useRef(commands)
  latest.current = commands
  // Registered once for the same set; what they do is looked up when they run.
  const signature = commands
    .map(({ id, label, group, keys, isHidden }) => `${id}|${label}|${group}|${keys}|${isHidden}`)
    .join('\n')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the signature stands for the commands.
  useEffect(() => {
    const stable = latest.current.map((command) => ({
      ...command,
      run: () => latest.current.find(({ id }) => id === command.id)?.run(),
    }))
    registry.put(place, stable)
    return () => registry.put(place)
  }, [registry, place, signature])
}

export function useAllCommands(): readonly Command[] {
  const registry = useRegistry()
  return useSyncExternalStore(registry.subscribe, registry.all)
}

const switchKey = 'yardmaster.single-keys'

/** Keys without Ctrl or Alt get in the way of some speech input, so that they can be turned off. */
export function areSingleKeysOn(): boolean {
  return kept(switchKey) !== 'off'
}

export function turnSingleKeys(isOn: boolean): void {
  keep(switchKey, isOn ? '' : 'off')
}

function useRegistry(): Registry {
  const registry = useContext(RegistryContext)
  if (!registry) throw new Error('commands outside CommandsProvider')
  return registry
}

function createRegistry(): Registry {
  // An object has its numbers in ascending order, whenever they were put into it.
  const places: Record<number, readonly Command[]> = {}
  let last = 0
  let all: readonly Command[] = []
  const listeners = new Set<() => void>()
  return {
    all: () => all,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    newPlace: () => ++last,
    put: (place, commands) => {
      if (commands) places[place] = commands
      else delete places[place]
      all = Object.values(places).flat()
      for (const listener of listeners) listener()
    },
  }
}

const sequenceMs = 1_000
/** What takes letters. A box that was ticked keeps the focus, and takes none. */
const fields = 'input:not([type=checkbox]), textarea, select, [contenteditable]'

function listenToKeys(registry: Registry): () => void {
  let pressed: string[] = []
  let pressedAt = 0
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || ['Shift', 'Control', 'Alt', 'Meta'].includes(event.key)) return
    const chord = chordOf(event)
    if (event.timeStamp - pressedAt > sequenceMs) pressed = []
    pressed = [...pressed, chord].slice(-2)
    pressedAt = event.timeStamp
    const isInField = event.target instanceof Element && event.target.closest(fields)
    const isShown = (selector: string) => document.querySelector(selector) !== null
    // What they do is behind the dialog.
    if (isShown('dialog[open]')) return
    const found = [pressed.join(' '), chord]
      .flatMap((keys) => {
        const offered = registry.all().filter((command) => command.keys === keys)
        return offered.findLast(({ isInner }) => isInner) ?? offered.slice(-1)
      })
      .find(({ keys = '', worksInFields }) => {
        if (isInField) return worksInFields
        return keys.includes('mod+') || (!isShown('[role=menu]') && areSingleKeysOn())
      })
    if (!found) return
    event.preventDefault()
    pressed = []
    found.run()
  }
  window.addEventListener('keydown', onKey)
  return () => window.removeEventListener('keydown', onKey)
}

/** `mod` is Ctrl, and ⌘ on a Mac. Shift counts only with named keys: `?` already is Shift and another key. */
export function chordOf(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>): string {
  const key = event.key === ' ' ? 'space' : event.key.toLowerCase()
  const parts = [
    (event.ctrlKey || event.metaKey) && 'mod',
    event.altKey && 'alt',
    event.shiftKey && key.length > 1 && 'shift',
    key,
  ]
  return parts.filter(Boolean).join('+')
}
