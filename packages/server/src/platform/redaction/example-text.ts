/** The alphabets that a sketch may name. */
const alphabets = {
  digits: '0123456789',
  hex: '0123456789abcdef',
  lower: 'abcdefghijklmnopqrstuvwxyz',
  upper: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  base32: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  lowernum: 'abcdefghijklmnopqrstuvwxyz0123456789',
  uppernum: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  alnum: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  word: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-',
  base64: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
} as const

/**
 * Expands a sketch: parts joined by ` + `, each a literal or a count with an alphabet, as in `ghp_ + 36 alnum`. A table
 * of key formats written this way holds nothing that looks like a key. The characters are evenly distributed and always
 * the same, so that results are reproducible.
 */
export function exampleText(sketch: string): string {
  let turn = 0
  return sketch
    .split(' + ')
    .map((part) => {
      const wanted = /^(\d+) (\w+)$/.exec(part)
      if (wanted === null || !isAlphabet(wanted[2])) return part
      const letters = alphabets[wanted[2]]
      return Array.from(
        { length: Number(wanted[1]) },
        () => letters[(turn++ * 37 + turn * turn * 11) % letters.length],
      ).join('')
    })
    .join('')
}

function isAlphabet(name: string | undefined): name is keyof typeof alphabets {
  return name !== undefined && Object.hasOwn(alphabets, name)
}
