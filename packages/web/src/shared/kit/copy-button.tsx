import { type ReactNode, useState } from 'react'
import { IconButton } from './button.tsx'
import { copyText } from './copy-text.ts'
import { useToasts } from './toasts.tsx'

/** Copies a machine value: an id, a path, a command. */
export function CopyButton({ value, label }: { value: string; label: string }): ReactNode {
  const [isCopied, setCopied] = useState(false)
  const toasts = useToasts()
  const copy = async () => {
    if (!(await copyText(value, { toasts }))) return
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

type CopyableProps = { value: string; label: string; children: ReactNode; className?: string }

/** What is shown in a way of its own, such as a link or a text of several lines, with a copy button for its value. */
export function Copyable({ value, label, children, className = '' }: CopyableProps): ReactNode {
  return (
    <span className={`inline-flex min-w-0 max-w-full items-start gap-1 ${className}`}>
      <span className="min-w-0">{children}</span>
      <CopyButton value={value} label={label} />
    </span>
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
