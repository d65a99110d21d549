import type { ProcessIdentity } from './process-identity.ts'

export type ListedProcess = {
  identity: ProcessIdentity
  parentPid: number
  /** In any unit that is the same for the whole listing. */
  startedAt: number
  isMarked: boolean
}

/** The marked processes of a listing and all their descendants, without this process. */
export function markedFamily(listed: readonly ListedProcess[]): ProcessIdentity[] {
  const others = listed.filter((one) => one.identity.pid !== process.pid)
  const childrenOf = byParent(others)
  const family = new Set(others.filter((one) => one.isMarked))
  // Iterating a set includes elements added during the iteration, so this reaches every generation.
  for (const parent of family) {
    for (const child of childrenOf.get(parent.identity.pid) ?? []) {
      // A listing is not atomic. If a "child" is older than its parent, the pid was reused.
      if (child.startedAt >= parent.startedAt) family.add(child)
    }
  }
  return [...family].map((one) => one.identity)
}

function byParent(listed: readonly ListedProcess[]): Map<number, ListedProcess[]> {
  const children = new Map<number, ListedProcess[]>()
  for (const one of listed) {
    const siblings = children.get(one.parentPid)
    if (siblings) siblings.push(one)
    else children.set(one.parentPid, [one])
  }
  return children
}
