import type { FamilyPrices } from '../prices.ts'

/** The vendor's list prices. The operator's price file keeps them current. */
export const prices: FamilyPrices = {
  fable: { input: 10, output: 50 },
  mythos: { input: 10, output: 50 },
  opus: { input: 5, output: 25 },
  sonnet: { input: 3, output: 15 },
  haiku: { input: 1, output: 5 },
}
