import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call, type Result } from '../../shared/api/client.ts'
import { readOf } from '../../shared/api/hooks.ts'
import { Button, IconButton } from '../../shared/kit/button.tsx'
import { Dialog } from '../../shared/kit/dialog.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'

type FileChipProps = { id: string; name: string; onRemove?: () => void }

/** A file that a message names: an image shows itself, everything else can be saved. */
export function FileChip({ id, name, onRemove }: FileChipProps): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const save = useSave(id, name)
  const type = imageTypeOf(name)
  return (
    <span className="flex h-7 max-w-60 items-center rounded-md border border-line bg-raised pr-1 text-sm">
      <button
        type="button"
        data-tip={type ? 'Show' : 'Save'}
        onClick={() => (type ? setOpen(true) : save())}
        className="flex h-full min-w-0 items-center gap-1.5 rounded-md px-1.5 hover:bg-hover"
      >
        {type ? <Thumbnail {...{ id, type }} /> : <Icon name="file-text" size={14} className="text-muted" />}
        <span className="truncate">{name}</span>
      </button>
      {onRemove && <IconButton size="sm" icon="x" label={`Remove ${name}`} onClick={onRemove} />}
      {type && isOpen && (
        <Dialog
          title={name}
          width="lg"
          isOpen
          onClose={() => setOpen(false)}
          actions={
            <Button icon="download" onClick={save}>
              Save
            </Button>
          }
        >
          <Picture {...{ id, name, type }} />
        </Dialog>
      )}
    </span>
  )
}

function Thumbnail({ id, type }: { id: string; type: string }): ReactNode {
  const { data } = useAttachment(id)
  const [isBroken, setBroken] = useState(false)
  if (!data || isBroken) return <Icon name="file-text" size={14} className="text-muted" />
  return (
    <img
      src={urlOf(type, data.content)}
      alt=""
      onError={() => setBroken(true)}
      className="size-5 rounded-sm object-cover"
    />
  )
}

function Picture({ id, name, type }: { id: string; name: string; type: string }): ReactNode {
  const { data, error } = useAttachment(id)
  const [isBroken, setBroken] = useState(false)
  if (!data) return <ErrorNote error={error} />
  if (isBroken) return <p>This file cannot be shown as a picture.</p>
  return (
    <img
      src={urlOf(type, data.content)}
      alt={name}
      onError={() => setBroken(true)}
      className="mx-auto max-h-[60dvh] max-w-full"
    />
  )
}

/** A file never changes, so it is read once, however often a page reads everything again: it may have megabytes. */
function useAttachment(id: string): UseQueryResult<Result<'attachments.show'>> {
  const query = useQuery({ ...readOf('attachments.show', { id }), staleTime: 'static' })
  return query as UseQueryResult<Result<'attachments.show'>>
}

function useSave(id: string, name: string): () => void {
  const toasts = useToasts()
  return () => {
    call('attachments.show', { id }).then(
      ({ content }) => {
        const link = document.createElement('a')
        link.href = urlOf('application/octet-stream', content)
        link.download = name
        link.click()
      },
      (error) => toasts.complain(error),
    )
  }
}

const urlOf = (type: string, content: string): string => `data:${type};base64,${content}`

/** Pictures that hold no script. */
function imageTypeOf(name: string): string | undefined {
  const [, extension = ''] = /\.(\w+)$/.exec(name.toLowerCase()) ?? []
  const type = extension === 'jpg' ? 'jpeg' : extension
  return ['png', 'jpeg', 'gif', 'webp'].includes(type) ? `image/${type}` : undefined
}
