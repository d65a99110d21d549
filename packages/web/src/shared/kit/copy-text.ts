import { topLayer } from './modal.ts'
import type { Toasts } from './toasts.tsx'

const byHand = 'The browser did not let the page copy this. Select the text and copy it by hand.'

/** Puts a text on the clipboard and says so, or says why not. True if it was copied. */
export async function copyText(text: string, { toasts, said }: { toasts: Toasts; said?: string }): Promise<boolean> {
  const isCopied = (await copyByClipboard(text)) || copyBySelection(text)
  if (!isCopied) toasts.complain(new Error(byHand))
  else if (said !== undefined) toasts.say(said)
  return isCopied
}

/** Browsers give no `clipboard` to a page that is served by http from another host than localhost, though its type says so. */
async function copyByClipboard(text: string): Promise<boolean> {
  const clipboard: Clipboard | undefined = navigator.clipboard
  try {
    await clipboard?.writeText(text)
    return clipboard !== undefined
  } catch {
    return false
  }
}

/** The old way, which no browser has withdrawn: it copies what is selected. */
function copyBySelection(text: string): boolean {
  const before = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.className = 'unseen'
  topLayer().append(field)
  try {
    field.select()
    return document.execCommand('copy')
  } finally {
    field.remove()
    if (before instanceof HTMLElement) before.focus({ preventScroll: true })
  }
}
