import { type ReactNode, useId, useRef } from 'react'
import { IconButton } from './button.tsx'
import { useModal } from './modal.ts'

type DialogProps = {
  title: string
  isOpen: boolean
  onClose: () => void
  children: ReactNode
  /** Buttons, at the end of the dialog. */
  actions?: ReactNode
  width?: 'sm' | 'md' | 'lg'
}

const widths = { sm: 'max-w-sm', md: 'max-w-lg', lg: 'max-w-3xl' }

/** The browser's own modal dialog: it traps the focus, closes on Escape and returns the focus. */
export function Dialog({ title, isOpen, onClose, children, actions, width = 'md' }: DialogProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useModal(dialog, isOpen)
  if (!isOpen) return null
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser closes it on Escape; the click is for its backdrop.
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onClose={onClose}
      onClick={(event) => event.target === event.currentTarget && onClose()}
      className={`w-[calc(100%-2rem)] ${widths[width]} rounded-lg bg-raised p-0 shadow-float max-md:mb-4`}
    >
      <div className="flex max-h-[min(80dvh,44rem)] flex-col">
        <header className="flex items-center justify-between gap-4 border-line border-b py-2 pr-2 pl-4">
          <h2 id={titleId} className="truncate font-semibold text-lg">
            {title}
          </h2>
          <IconButton icon="x" label="Close" onClick={onClose} />
        </header>
        <div className="min-h-0 overflow-y-auto p-4">{children}</div>
        {actions && (
          <footer className="flex flex-wrap justify-end gap-2 border-line border-t px-4 py-3">{actions}</footer>
        )}
      </div>
    </dialog>
  )
}
