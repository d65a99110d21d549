const format = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' })

export function dollars(amount: number): string {
  return format.format(amount)
}
