import { existsSync, readdirSync } from 'node:fs'

/**
 * The source files below a folder as paths from the root, sorted by name.
 *
 * @param {string} root
 * @param {string} folder
 * @returns {string[]}
 */
export function sourceFiles(root, folder) {
  if (!existsSync(`${root}/${folder}`)) return []
  return readdirSync(`${root}/${folder}`, { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) return sourceFiles(root, path)
      return /\.(ts|tsx|mts|js|mjs)$/.test(entry.name) ? [path] : []
    })
}
