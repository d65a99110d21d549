import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { useLastPage } from './use-last-page.ts'

type Pagination = { page: number; per_page: number; total_count: number; total_pages: number }

export type PagerProps = {
  of: Pagination
  /** `replace`: the page that was shown is gone, so the browser must not go back to it. */
  onPage: (page: number, options?: { replace: boolean }) => void
}

/** Where one is in a long list; nothing if it has one page. */
export function Pager({ of, onPage }: PagerProps): ReactNode {
  useLastPage(of, onPage)
  const { page, per_page, total_count, total_pages } = of
  if (total_pages <= 1) return null
  const first = (page - 1) * per_page + 1
  return (
    <nav aria-label="Pages" className="flex items-center justify-between gap-2 border-line border-t px-3 py-2">
      <span className="tabular text-muted text-sm">
        {first} to {Math.min(page * per_page, total_count)} of {total_count}
      </span>
      <span className="flex gap-2">
        <Button size="sm" icon="chevron-left" disabled={page <= 1} onClick={() => onPage(page - 1)}>
          Back
        </Button>
        <Button size="sm" icon="chevron-right" disabled={page >= total_pages} onClick={() => onPage(page + 1)}>
          Next
        </Button>
      </span>
    </nav>
  )
}
