/**
 * One shortest cycle for each group of files that import each other, starting at the first file by name.
 *
 * @param {Map<string, Set<string>>} edges
 * @returns {string[][]}
 */
export function findCycles(edges) {
  /** @type {string[][]} */
  const cycles = []
  /** @type {Set<string>} */
  const reported = new Set()
  for (const file of [...edges.keys()].sort()) {
    if (reported.has(file)) continue
    const cycle = shortestPath(edges, file, file)
    if (!cycle) continue
    cycles.push(cycle)
    // Other files of the group would only repeat this cycle from another start.
    for (const other of edges.keys()) {
      if (shortestPath(edges, file, other) && shortestPath(edges, other, file)) reported.add(other)
    }
  }
  return cycles
}

/**
 * The files from `start` to `end` by at least one import, both included.
 *
 * @param {Map<string, Set<string>>} edges
 * @param {string} start
 * @param {string} end
 */
function shortestPath(edges, start, end) {
  /** @type {Map<string, string>} */
  const cameFrom = new Map()
  const queue = [start]
  for (const file of queue) {
    for (const next of edges.get(file) ?? []) {
      if (cameFrom.has(next)) continue
      cameFrom.set(next, file)
      if (next === end) return retrace(cameFrom, start, end)
      queue.push(next)
    }
  }
  return undefined
}

/**
 * @param {Map<string, string>} cameFrom
 * @param {string} start
 * @param {string} end
 */
function retrace(cameFrom, start, end) {
  const path = [end]
  for (let file = cameFrom.get(end); file !== undefined && file !== start; file = cameFrom.get(file)) path.unshift(file)
  return [start, ...path]
}
