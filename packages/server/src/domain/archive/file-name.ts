/** Long enough for the ids of all runtimes. */
const maxLength = 100

/** File names that Windows does not allow, with any extension. */
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

/**
 * Turns texts of agents and callers into file names that stay in their folder on every system. A name that is taken, in upper
 * or lower case, gets the id of its row, until it is free.
 */
export function fileNames(): (text: string, id: number) => string {
  const taken = new Set<string>()
  return (text, id) => {
    let name = plainName(text)
    while (taken.has(name.toLowerCase())) name = `${name}-${id}`
    taken.add(name.toLowerCase())
    return name
  }
}

function plainName(text: string): string {
  const plain = text
    .replace(/[^\w.-]+/g, '_')
    .replace(/^\.+/, '_')
    .slice(0, maxLength)
    .replace(/\.+$/, '_')
  return plain === '' || reserved.test(plain) ? `_${plain}` : plain
}
