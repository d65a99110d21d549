import { limits } from '@yardmaster/contract/limits'
import type { ReactNode } from 'react'
import { FileChip } from './file-chip.tsx'
import { filesNamedIn } from './files-named-in.ts'

/** The files that a prompt names, as its agent got it: by their paths. An agent gets no more of them; a text may name thousands. */
export default function NamedFiles({ text }: { text: string }): ReactNode {
  return (
    <span className="mt-1.5 flex min-h-7 flex-wrap gap-1.5">
      {filesNamedIn(text)
        .slice(0, limits.attachment.perPrompt)
        .map((file) => (
          <FileChip key={file.id} {...file} />
        ))}
    </span>
  )
}
