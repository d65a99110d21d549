import { openSync, readdirSync, readFileSync } from 'node:fs'

/**
 * Files that the process which started us left open, such as the lock of a wrapper. Node passes those with high
 * numbers on to every child, and an agent could read from them, or from a folder among them reach what is hidden. Node opens
 * its own files so that no child inherits them. Known on Linux only.
 */
const inherited = process.platform === 'linux' ? openForChildren() : []

const nothing = inherited.length > 0 ? openSync('/dev/null', 'r+') : undefined

/** The standard streams of a child, and nothing in place of every inherited file. */
export function stdioOf<T>(streams: readonly [T, T, T]): (T | 'ignore' | number)[] {
  const stdio: (T | 'ignore' | number)[] = [...streams]
  for (const number of inherited) {
    // Elements in between stay as they are.
    while (stdio.length < number) stdio.push('ignore')
    if (nothing !== undefined) stdio[number] = nothing
  }
  return stdio
}

function openForChildren(): number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((number) => number > 2 && !closesOnExec(number))
    .sort((one, other) => one - other)
}

function closesOnExec(number: number): boolean {
  try {
    const [, flags = '0'] = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${number}`, 'utf8')) ?? []
    return (Number.parseInt(flags, 8) & 0o2000000) !== 0
  } catch {
    // It was open only for the listing.
    return true
  }
}
