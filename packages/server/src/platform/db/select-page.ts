import type { Page } from '@yardmaster/contract/paging'
import type { SelectQueryBuilder } from 'kysely'

/** The rows of one page, and the number of rows on all pages. */
export type Paged<Row> = { rows: Row[]; totalCount: number }

/**
 * Reads a page of a query that has an order. The rows are counted by the same query, unless the caller has a cheaper way to
 * count them.
 */
export async function selectPage<DB, Table extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Table, Row>,
  { page, perPage }: Page,
  count: () => Promise<number> = () => countRows(query),
): Promise<Paged<Row>> {
  const [rows, totalCount] = await Promise.all([
    query
      .limit(perPage)
      .offset((page - 1) * perPage)
      .execute() as Promise<Row[]>, // the query builder returns the same type in other words
    count(),
  ])
  return { rows, totalCount }
}

async function countRows<DB, Table extends keyof DB, Row>(query: SelectQueryBuilder<DB, Table, Row>): Promise<number> {
  const { total } = await query
    .clearSelect()
    .clearOrderBy()
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .$castTo<{ total: number }>()
    .executeTakeFirstOrThrow()
  return total
}
