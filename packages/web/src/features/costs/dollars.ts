const cents = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' })
const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })

/** Less than a cent is said as such: a call that costs something must not read as free. */
export function dollars(amount: number): string {
  return amount > 0 && amount < 0.01 ? `< ${cents.format(0.01)}` : cents.format(amount)
}

/** "1.2M" for a number of tokens or calls. */
export function compact(amount: number): string {
  return short.format(amount)
}
