import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { Button, IconButton } from './button.tsx'
import { Icon } from './icon.tsx'
import { useTopLayer } from './modal.ts'
import { sentencesOf } from './notes.tsx'

type Toast = { id: number; text: string; isError: boolean; undo?: () => void; link?: ReactNode }

export type Toasts = {
  /** With `undo` it offers to take the action back, with `link` to go to what was made; both stay for 10 seconds. */
  say(text: string, options?: { undo?: () => void; link?: ReactNode }): void
  /** Shows an error in the API's sentences, until it is closed. */
  complain(error: unknown): void
}

const ToastContext = createContext<Toasts | undefined>(undefined)

export function useToasts(): Toasts {
  const toasts = useContext(ToastContext)
  if (!toasts) throw new Error('useToasts outside ToastProvider')
  return toasts
}

const shownMs = { plain: 5_000, withAction: 10_000 }

export function ToastProvider({ children }: { children: ReactNode }): ReactNode {
  const [shown, setShown] = useState<readonly Toast[]>([])
  const lastId = useRef(0)
  const layer = useTopLayer()
  const close = useCallback((id: number) => setShown((all) => all.filter((one) => one.id !== id)), [])
  const toasts = useMemo<Toasts>(() => {
    const add = (toast: Omit<Toast, 'id'>) => {
      lastId.current += 1
      const id = lastId.current
      setShown((all) => [...all.slice(-3), { ...toast, id }])
      if (!toast.isError) setTimeout(() => close(id), toast.undo || toast.link ? shownMs.withAction : shownMs.plain)
    }
    return {
      say: (text, { undo, link } = {}) => add({ text, isError: false, undo, link }),
      complain: (error) => add({ text: sentencesOf(error).join(' '), isError: true }),
    }
  }, [close])
  return (
    <ToastContext value={toasts}>
      {children}
      {createPortal(
        <div
          role="status"
          aria-live="polite"
          className="pointer-events-none fixed inset-x-4 top-16 z-50 flex flex-col items-center gap-2 md:top-auto md:bottom-6"
        >
          {shown.map(({ id, text, isError, undo, link }) => (
            <div
              key={id}
              className="pointer-events-auto flex max-w-lg items-center gap-2 rounded-lg bg-raised py-1.5 pr-1.5 pl-3 shadow-float"
            >
              {isError && <Icon name="triangle-alert" className="text-failed" />}
              <span className="min-w-0 break-words">{text}</span>
              {link}
              {undo && (
                <Button
                  size="sm"
                  icon="undo-2"
                  onClick={() => {
                    undo()
                    close(id)
                  }}
                >
                  Undo
                  <SecondsLeft />
                </Button>
              )}
              <IconButton size="sm" icon="x" label="Close" onClick={() => close(id)} />
            </div>
          ))}
        </div>,
        layer,
      )}
    </ToastContext>
  )
}

/** For the eye only: read aloud every second, it would drown the message. Its width does not change. */
function SecondsLeft(): ReactNode {
  const [left, setLeft] = useState(shownMs.withAction / 1_000)
  useEffect(() => {
    const timer = setInterval(() => setLeft((before) => Math.max(0, before - 1)), 1_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <span aria-hidden className="tabular w-[2ch] text-right text-muted">
      {left}
    </span>
  )
}
