import type { ReactNode } from 'react'
import { CopyButton } from '../../shared/kit/copy-button.tsx'

/** Beside a text of the runtime or a thought: seen as the actions of a message are, and no higher than a line. */
export default function CopyTextButton({ value, label }: { value: string; label: string }): ReactNode {
  return (
    <span className="-my-0.75 ml-auto flex shrink-0 opacity-0 transition-opacity focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
      <CopyButton value={value} label={label} />
    </span>
  )
}
