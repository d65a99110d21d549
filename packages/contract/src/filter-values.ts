import { z } from 'zod'

/** What a menu of a filter offers, in order. A longer menu would help as little as a cut one; the API takes other values too. */
export const mostFilterValues = 500

export function filterValues(ofWhat: string) {
  return z.array(z.string()).meta({ description: `The ${ofWhat}, in order, at most ${mostFilterValues}.` })
}
