import { type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { type Completion, completionsOf, tokenAt } from './slash-commands.ts'

type Props = {
  field: RefObject<HTMLTextAreaElement | null>
  text: string
  /** What the session is given of the catalog. */
  skills: readonly string[]
  plugins: readonly string[]
  runtime: string
  /** Whether the agent's program takes the prompt for a command. */
  runsCommands: boolean
  /** On which side of the field there is room. */
  side: 'above' | 'below'
}

/**
 * Offers the skills of the session, and the commands of its agent, for a prompt that begins with a slash. The field keeps the focus and
 * becomes a combobox while the list is shown.
 */
export default function SlashCompletion({ field, text, side, ...given }: Props): ReactNode {
  const list = useId()
  const token = useToken(field, text)
  const [dismissed, setDismissed] = useState<string>()
  const [index, setIndex] = useState(0)
  const found = useCompletions(given, token)
  const shown = token === dismissed ? [] : found
  const active = Math.min(index, shown.length - 1)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text has another first match.
  useEffect(() => setIndex(0), [token])

  const choose = (name: string) => {
    const { current } = field
    if (!current || token === undefined) return
    current.setRangeText(`/${name} `, 0, token.length, 'end')
    current.dispatchEvent(new InputEvent('input', { bubbles: true }))
  }
  const press = (key: string): boolean => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[key]
    const name = shown[active]?.name
    if (move !== undefined) setIndex((active + move + shown.length) % shown.length)
    else if (key === 'Escape') setDismissed(token)
    else if ((key === 'Enter' || key === 'Tab') && name !== undefined) choose(name)
    else return false
    return true
  }
  useComboboxKeys(field, shown.length > 0, press)
  useComboboxRole(field, shown.length > 0 ? { list, option: `${list}-${active}` } : undefined)
  if (shown.length === 0) return null
  return (
    <div
      className={`absolute inset-x-0 z-20 flex max-h-64 max-w-xl flex-col rounded-lg bg-raised shadow-float ${side === 'above' ? 'bottom-full mb-1' : 'top-full mt-1'}`}
    >
      {/* The field keeps the focus: its keys move through the options. */}
      <div id={list} role="listbox" aria-label="Commands and skills" className="min-h-0 overflow-y-auto p-1">
        {shown.map((completion, position) => (
          <Option
            key={completion.name}
            id={`${list}-${position}`}
            completion={completion}
            isActive={position === active}
            onChoose={() => choose(completion.name)}
          />
        ))}
      </div>
      <p className="border-line border-t px-3 py-1.5 text-muted text-xs">
        {given.runsCommands
          ? "The agent's program runs it as a command."
          : 'Reaches the agent as text: it knows its skills by their names.'}
      </p>
    </div>
  )
}

type OptionProps = { id: string; completion: Completion; isActive: boolean; onChoose: () => void }

function Option({ id, completion: { name, description }, isActive, onChoose }: OptionProps): ReactNode {
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isActive) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isActive])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus, and Enter and Tab choose.
    <div
      ref={row}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      // A press would take the focus from the field, and the list would close before the click.
      onPointerDown={(event) => event.preventDefault()}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
      className={`flex min-h-9 cursor-pointer items-baseline gap-2.5 rounded-md px-2 py-1.5 hover:bg-hover ${isActive ? 'bg-selected' : ''}`}
    >
      <span className="shrink-0 font-mono text-sm">/{name}</span>
      <span className="min-w-0 truncate text-muted text-sm">{description}</span>
    </div>
  )
}

function useCompletions(
  { skills, plugins, runtime, runsCommands }: Pick<Props, 'skills' | 'plugins' | 'runtime' | 'runsCommands'>,
  token: string | undefined,
): readonly Completion[] {
  const catalog = {
    skills: useRead('skills.list', {}).data?.skills ?? [],
    plugins: useRead('plugins.list', {}).data?.plugins ?? [],
  }
  const commands = useRead('configs.show', {}).data?.runtime_models[runtime]?.commands ?? []
  if (token === undefined) return []
  return completionsOf(token, { skills, plugins, catalog, commands: runsCommands ? commands : [] })
}

/** What is typed of a command up to the caret, while the field has the focus. */
function useToken(field: Props['field'], text: string): string | undefined {
  const [caret, setCaret] = useState<number>()
  useEffect(() => {
    const { current } = field
    if (!current) return
    const look = () => setCaret(document.activeElement === current ? current.selectionEnd : undefined)
    look()
    const events = ['input', 'keyup', 'click', 'focus', 'blur']
    for (const name of events) current.addEventListener(name, look)
    return () => {
      for (const name of events) current.removeEventListener(name, look)
    }
  }, [field])
  return caret === undefined ? undefined : tokenAt(text, caret)
}

/** Before the page's own handlers, for which Enter sends and Escape closes. */
function useComboboxKeys(field: Props['field'], isOpen: boolean, press: (key: string) => boolean): void {
  const latest = useRef(press)
  latest.current = press
  useEffect(() => {
    const { current } = field
    if (!current || !isOpen) return
    const onKey = (event: KeyboardEvent) => {
      if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
      if (!latest.current(event.key)) return
      event.preventDefault()
      event.stopPropagation()
    }
    current.addEventListener('keydown', onKey)
    return () => current.removeEventListener('keydown', onKey)
  }, [field, isOpen])
}

/** Tells assistive technology about the list, and which option is active. */
function useComboboxRole(field: Props['field'], open: { list: string; option: string } | undefined): void {
  useEffect(() => {
    const { current } = field
    if (!current || !open) return
    const attributes = {
      role: 'combobox',
      'aria-autocomplete': 'list',
      'aria-expanded': 'true',
      'aria-controls': open.list,
      'aria-activedescendant': open.option,
    }
    for (const [name, value] of Object.entries(attributes)) current.setAttribute(name, value)
    return () => {
      for (const name of Object.keys(attributes)) current.removeAttribute(name)
    }
  })
}
