/**
 * One short cycle for every knot of files that import each other, each beginning with its first file by name.
 *
 * @param {Map<string, Set<string>>} edges
 * @returns {string[][]}
 */
export function findCycles(edges) {
  /** @type {string[][]} */
  const cycles = []
  /** @type {Set<string>} */
  const told = new Set()
  for (const file of [...edges.keys()].sort()) {
    if (told.has(file)) continue
    const back = shortestWay(edges, file, file)
    if (!back) continue
    cycles.push(back)
    // The rest of the knot would only tell the same story from another file.
    for (const other of edges.keys()) {
      if (shortestWay(edges, file, other) && shortestWay(edges, other, file)) told.add(other)
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
function shortestWay(edges, start, end) {
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
  const way = [end]
  for (let file = cameFrom.get(end); file !== undefined && file !== start; file = cameFrom.get(file)) way.unshift(file)
  return [start, ...way]
}
