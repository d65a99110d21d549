import type { ProcessIdentity } from './process-identity.ts'

export type ListedProcess = {
  identity: ProcessIdentity
  parentPid: number
  /** In any unit, as long as it is the same for all of one listing. */
  startedAt: number
  isMarked: boolean
}

/** The marked processes of a listing and all their descendants, ourselves left out. */
export function markedFamily(listed: readonly ListedProcess[]): ProcessIdentity[] {
  const others = listed.filter((one) => one.identity.pid !== process.pid)
  const childrenOf = byParent(others)
  const family = new Set(others.filter((one) => one.isMarked))
  // A set visits what is added during the walk, so this goes down to the last generation.
  for (const parent of family) {
    for (const child of childrenOf.get(parent.identity.pid) ?? []) {
      // A listing is not one instant: a "child" older than its parent names a pid that was reused meanwhile.
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
