import { useCallback, useEffect, useRef, useState } from 'react'
import { keep, kept, keysOfKept } from './keep.ts'

const prefix = 'yardmaster.draft.'

export type Sending = { sending: () => void; accepted: () => void }

/** Removes drafts from this browser, by default all of them, and returns their texts. */
export function dropDrafts(isDropped: (name: string) => boolean = () => true): string[] {
  return draftNames()
    .filter(isDropped)
    .map((name) => {
      const text = draftOf(name)
      keep(prefix + name, '')
      return text
    })
}

export function draftNames(): string[] {
  return keysOfKept().flatMap((key) => (key.startsWith(prefix) ? key.slice(prefix.length) : []))
}

/**
 * Call it when a draft is sent, and what it returns when the server has accepted it. What was typed while it was on its way stays: of a
 * message what was added, of a form or an edit all of it, as it is by then.
 */
export function sendingDraft(name: string, { isMessage = false } = {}): () => void {
  const sent = draftOf(name)
  return () => {
    const now = draftOf(name)
    if (now === sent) putDraft(name, '')
    else if (isMessage && now.startsWith(sent)) putDraft(name, now.slice(sent.length).trimStart())
  }
}

/** The same for a component: `sending` when it sends the draft, `accepted` when the server has accepted it. */
export function useSending(name: string, options?: { isMessage: boolean }): Sending {
  const sent = useRef<() => void>(undefined)
  return {
    sending: () => {
      sent.current = sendingDraft(name, options)
    },
    accepted: () => sent.current?.(),
  }
}

export function draftOf(name: string): string {
  return kept(prefix + name)
}

/** Stores a draft and shows it in every form that has it. */
export function putDraft(name: string, newValue: string): void {
  const key = prefix + name
  // Browsers tell the other tabs only.
  dispatchEvent(new StorageEvent('storage', { key, newValue }))
  keep(key, newValue)
}

/**
 * Text that survives a switch of pages, a reload and a failed send. `sendingDraft` takes it out, only after the server has
 * accepted it. Other tabs see it too.
 */
export function useDraft(name: string): [text: string, setText: (text: string) => void] {
  const [text, setText] = useState(() => draftOf(name))
  useEffect(() => {
    setText(draftOf(name))
    const onStorage = ({ key, newValue }: StorageEvent) => key === prefix + name && setText(newValue ?? '')
    addEventListener('storage', onStorage)
    return () => removeEventListener('storage', onStorage)
  }, [name])
  return [text, useCallback((next: string) => putDraft(name, next), [name])]
}

/** A stored text while a person changes it, kept like a draft. Undefined: no one changes it. It can be empty, which a draft cannot. */
export function useEdit(name: string): [text: string | undefined, setText: (text: string | undefined) => void] {
  // The mark tells an empty text from none.
  const [draft, setDraft] = useDraft(name)
  const setText = useCallback((text: string | undefined) => setDraft(text === undefined ? '' : `+${text}`), [setDraft])
  return [draft === '' ? undefined : draft.slice(1), setText]
}

/** Removes edits from this browser, and returns their texts. */
export function dropEdits(isDropped: (name: string) => boolean): string[] {
  return dropDrafts(isDropped).map((text) => text.slice(1))
}
