const style = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const
const cents = new Intl.NumberFormat(undefined, style)
const fractions = new Intl.NumberFormat(undefined, { ...style, maximumSignificantDigits: 2 })
const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })

/** Less than a cent is still shown: a call that costs something must not read as free. */
export function dollars(amount: number): string {
  return (amount > 0 && amount < 0.01 ? fractions : cents).format(amount)
}

/** "1.2M" for a number of tokens or calls. */
export function compact(amount: number): string {
  return short.format(amount)
}
