import { z } from 'zod'
import { limits } from './limits.ts'
import { clampedInteger } from './query.ts'
import { sentAsText } from './sent.ts'

export const Pagination = z
  .object({
    page: z.int().meta({ description: 'The page answered, from 1.' }),
    per_page: z.int().meta({ description: 'Items a page holds.' }),
    total_count: z.int().meta({ description: 'Items in the whole collection.' }),
    total_pages: z.int().meta({ description: 'Pages in the whole collection; 0 when it is empty.' }),
  })
  .meta({ id: 'Pagination' })

export type Pagination = z.infer<typeof Pagination>
export type Page = { page: number; perPage: number }

/** A text that is no number means the default; a number is clamped. The largest page keeps the row offset exact. */
export const PageQuery = z.object({
  page: sentAsText<number | string>()
    .optional()
    .transform((value) => clampedInteger(value, { fallback: 1, min: 1, max: 10 ** 13 }))
    .meta({ type: 'integer', description: 'Page to answer, from 1.', default: 1 }),
  per_page: sentAsText<number | string>()
    .optional()
    .transform((value) =>
      clampedInteger(value, { fallback: limits.pageSize.default, min: 1, max: limits.pageSize.max }),
    )
    .meta({ type: 'integer', description: 'Items a page holds, 1 to 100.', default: limits.pageSize.default }),
})

export function paginate({ page, perPage }: Page, totalCount: number): Pagination {
  return { page, per_page: perPage, total_count: totalCount, total_pages: Math.ceil(totalCount / perPage) }
}
