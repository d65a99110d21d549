import { type ReactNode, useEffect } from 'react'

type PageProps = {
  title: string
  /** One line under the title: what the page shows, or how much. */
  note?: ReactNode
  actions?: ReactNode
  children: ReactNode
  /** Text and forms read best in a narrow column; lists use the whole width. */
  width?: 'narrow' | 'full'
}

export function Page({ title, note, actions, children, width = 'full' }: PageProps): ReactNode {
  useTitle(title)
  return (
    <div
      className={`mx-auto flex w-full flex-col gap-4 p-4 md:px-6 md:py-5 ${width === 'narrow' ? 'max-w-3xl' : 'max-w-screen-2xl'}`}
    >
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <h1 className="font-semibold text-xl tracking-tight">{title}</h1>
          {note && <p className="text-muted">{note}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** A surface with an optional heading. */
export function Panel({
  title,
  actions,
  children,
}: {
  title?: ReactNode
  actions?: ReactNode
  children: ReactNode
}): ReactNode {
  return (
    <section className="min-w-0 overflow-hidden rounded-lg border border-line bg-surface">
      {title && (
        <header className="flex min-h-10 items-center justify-between gap-3 border-line border-b px-3">
          <h2 className="truncate font-semibold">{title}</h2>
          {actions && <div className="flex items-center gap-1">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  )
}

/** The buttons of a long form. They stay in sight while the form scrolls below them. */
export function FormActions({ children }: { children: ReactNode }): ReactNode {
  return (
    <div className="form-actions sticky bottom-0 z-10 -mb-4 flex items-center justify-end gap-2 border-line border-t bg-canvas py-3 md:-mb-5">
      {children}
    </div>
  )
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Yardmaster`
  }, [title])
}
