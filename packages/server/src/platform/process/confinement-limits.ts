import { totalmem } from 'node:os'

/**
 * Limits that no ordinary work reaches and that keep one agent from taking the machine down.
 *
 * `data` bounds what one process may allocate: three quarters of the memory, and never less than 4 GiB, because build
 * tools reserve more than they use. The address space (`as`) is not limited: JavaScript engines reserve hundreds of
 * gigabytes of it. `nproc` counts the threads of the user, per session where it has a user namespace of its own.
 */
const limits = {
  data: Math.max(4 * 2 ** 30, Math.floor(totalmem() * 0.75)),
  nproc: 8192,
  fsize: 64 * 2 ** 30,
  nofile: 65_536,
}

/**
 * The arguments of `prlimit`. A user may lower a hard limit but not raise it, so each limit is at most the one in force.
 */
export function limitArguments(inForce: Readonly<Record<string, number>>): string[] {
  return Object.entries(limits).map(([name, limit]) => `--${name}=${Math.min(limit, inForce[name] ?? limit)}`)
}

/** Reads `/proc/self/limits`. A limit that is not listed is unlimited. */
export function parseLimits(text: string): Record<string, number> {
  const found = Object.entries(titles).flatMap(([name, title]) => {
    const line = text.split('\n').find((one) => one.startsWith(title))
    const hard = Number(line?.slice(title.length).trim().split(/\s+/)[1])
    return Number.isSafeInteger(hard) ? [[name, hard] as const] : []
  })
  return Object.fromEntries(found)
}

const titles = {
  data: 'Max data size',
  nproc: 'Max processes',
  fsize: 'Max file size',
  nofile: 'Max open files',
} satisfies Record<keyof typeof limits, string>
