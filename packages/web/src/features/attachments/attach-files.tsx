import { referencesIn } from '@yardmaster/contract/attachments/reference'
import { limits } from '@yardmaster/contract/limits'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { call } from '../../shared/api/client.ts'
import { IconButton } from '../../shared/kit/button.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import { ErrorNote, sentencesOf } from '../../shared/kit/notes.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { FileChip } from './file-chip.tsx'

type Props = {
  field: RefObject<HTMLTextAreaElement | null>
  text: string
  /** Changes the text when its field has left the page: an upload goes on when the person does. */
  changeDraft: (change: (text: string) => string) => void
  /** Whether files are on their way: a message that is sent now would lack them. */
  onUploading: (isUploading: boolean) => void
}

/**
 * Uploads files that are chosen, pasted into the field or dropped on its form, and names them in the text. The text alone says
 * which files a message has, so they survive as its draft does.
 */
export default function AttachFiles({ field, text, changeDraft, onUploading }: Props): ReactNode {
  const toasts = useToasts()
  const [uploading, setUploading] = useState<readonly File[]>([])
  const [failures, setFailures] = useState<readonly string[]>([])
  const chooser = useRef<HTMLInputElement>(null)
  const isUploading = uploading.length > 0
  useEffect(() => onUploading(isUploading), [isUploading, onUploading])
  const upload = async (files: readonly File[]) => {
    setFailures([])
    // Others may be on their way: files can be dropped at any time.
    setUploading((others) => [...others, ...files])
    for (const file of files) {
      try {
        const reference = await send(file)
        if (field.current) insert(field.current, reference)
        else changeDraft((draft) => draft + asWord(reference, draft))
      } catch (failure) {
        const sentence = failure instanceof Unfit ? failure.message : `${file.name}: ${sentencesOf(failure).join(' ')}`
        if (field.current) setFailures((others) => [...others, sentence])
        else toasts.complain(sentence)
      }
      setUploading((others) => others.filter((other) => other !== file))
    }
  }
  useFilesFrom(field, upload)
  return (
    <div className="flex min-w-0 grow flex-col gap-1.5">
      <div className="flex min-h-8 flex-wrap items-center gap-1.5">
        <IconButton
          icon="paperclip"
          label="Attach files"
          disabled={isUploading}
          onClick={() => chooser.current?.click()}
        />
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          aria-label="Files to attach"
          onChange={({ currentTarget }) => {
            void upload([...(currentTarget.files ?? [])])
            currentTarget.value = ''
          }}
        />
        {referencesIn(text)
          .slice(0, limits.attachment.perPrompt)
          .map(({ id, name, reference }) => (
            <FileChip key={id} {...{ id, name }} onRemove={() => remove(field.current, reference)} />
          ))}
        {uploading.map(({ name }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two pasted images have the same name.
          <span key={index} role="status" className="flex h-7 items-center gap-1.5 text-muted text-sm">
            <Icon name="loader-circle" size={14} className="spin" /> {name}
          </span>
        ))}
      </div>
      {failures.map((sentence) => (
        <ErrorNote key={sentence} error={sentence} />
      ))}
    </div>
  )
}

/** A file that the server would refuse, so it is not sent. */
class Unfit extends Error {}

async function send(file: File): Promise<string> {
  if (file.size > limits.attachment.bytes)
    throw new Unfit(`${file.name} is larger than ${limits.attachment.bytes / 1024 ** 2} MB.`)
  const content = await base64Of(file)
  if (content === '') throw new Unfit(`${file.name} is empty.`)
  return (await call('attachments.create', { name: file.name, content })).attachment.reference
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''))
    reader.onerror = () => reject(new Unfit(`${file.name} cannot be read.`))
    reader.readAsDataURL(file)
  })
}

function insert(field: HTMLTextAreaElement, reference: string): void {
  const { selectionStart, selectionEnd, value } = field
  const before = document.activeElement
  write(field, asWord(reference, value.slice(0, selectionStart)), selectionStart, selectionEnd)
  // A person who has gone on to another field types there.
  if (before instanceof HTMLElement && before.matches('input, textarea, select')) before.focus()
}

function asWord(reference: string, before: string): string {
  return `${/\S$/.test(before) ? ' ' : ''}${reference} `
}

function remove(field: HTMLTextAreaElement | null, reference: string): void {
  if (!field) return
  const rest = field.value.replaceAll(`${reference} `, '').replaceAll(reference, '')
  write(field, rest, 0, field.value.length)
}

/** As if it were typed: browsers can undo only that. No other way to do so exists yet, although this one is deprecated. */
function write(field: HTMLTextAreaElement, text: string, start: number, end: number): void {
  field.focus()
  field.setSelectionRange(start, end)
  // The command acts on what has the focus, and a dialog does not give it up.
  const hasFocus = document.activeElement === field
  if (hasFocus && document.execCommand(text === '' ? 'delete' : 'insertText', false, text)) return
  field.setRangeText(text, start, end, 'end')
  field.dispatchEvent(new InputEvent('input', { bubbles: true }))
}

function useFilesFrom(field: Props['field'], upload: (files: readonly File[]) => void): void {
  const latest = useRef(upload)
  latest.current = upload
  useEffect(() => {
    const { current } = field
    const form = current?.form
    if (!current || !form) return
    const take = (event: Event, data: DataTransfer | null) => {
      if (!data || data.files.length === 0) return
      event.preventDefault()
      latest.current([...data.files])
    }
    // What office programs copy is text, with a picture of it.
    const onPaste = (event: ClipboardEvent) =>
      !event.clipboardData?.types.includes('text/plain') && take(event, event.clipboardData)
    const onDragOver = (event: DragEvent) => event.dataTransfer?.types.includes('Files') && event.preventDefault()
    const onDrop = (event: DragEvent) => take(event, event.dataTransfer)
    current.addEventListener('paste', onPaste)
    form.addEventListener('dragover', onDragOver)
    form.addEventListener('drop', onDrop)
    return () => {
      current.removeEventListener('paste', onPaste)
      form.removeEventListener('dragover', onDragOver)
      form.removeEventListener('drop', onDrop)
    }
  }, [field])
}
