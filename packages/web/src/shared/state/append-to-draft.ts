import { draftOf, putDraft } from './draft.ts'

/** Adds to a draft that a form of this page may show. */
export function appendToDraft(name: string, text: string): void {
  const before = draftOf(name)
  putDraft(name, before ? `${before}\n\n${text}` : text)
}
