import { useEffect } from 'react'

type Pagination = { page: number; total_pages: number }

/**
 * Goes to the last page when the one that is shown is gone, because what was on it is gone. In place of that one: the Back button would
 * lead to it, and from there here again.
 */
export function useLastPage(
  pagination: Pagination | undefined,
  setPage: (page: number, options: { replace: boolean }) => void,
): void {
  useEffect(() => {
    if (pagination && pagination.page > 1 && pagination.page > pagination.total_pages)
      setPage(Math.max(1, pagination.total_pages), { replace: true })
  }, [pagination, setPage])
}
