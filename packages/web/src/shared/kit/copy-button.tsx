import { type ReactNode, useState } from 'react'
import { IconButton } from './button.tsx'

/** Copies a machine value: an id, a path, a command. */
function CopyButton({ value, label }: { value: string; label: string }): ReactNode {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(value)
    setCopied(true)
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <IconButton
      size="sm"
      icon={isCopied ? 'check' : 'copy'}
      label={isCopied ? 'Copied' : `Copy ${label}`}
      onClick={copy}
    />
  )
}

/** A machine value with its copy button. */
export function Code({ children, label = 'value' }: { children: string; label?: string }): ReactNode {
  return (
    <span className="inline-flex min-w-0 max-w-full items-center gap-1">
      <code className="truncate font-mono text-sm">{children}</code>
      <CopyButton value={children} label={label} />
    </span>
  )
}
