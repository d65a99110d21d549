import { existsSync, readdirSync } from 'node:fs'

/**
 * The source files below a folder as paths from the root, sorted by name. Skips installed packages and build output.
 *
 * @param {string} root
 * @param {string} folder
 * @param {RegExp} [pattern]
 * @returns {string[]}
 */
export function sourceFiles(root, folder, pattern = /\.(ts|tsx|mts|js|mjs)$/) {
  if (!existsSync(`${root}/${folder}`)) return []
  return readdirSync(`${root}/${folder}`, { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) return isOurs(entry.name) ? sourceFiles(root, path, pattern) : []
      return pattern.test(entry.name) ? [path] : []
    })
}

/** @param {string} folderName */
function isOurs(folderName) {
  return folderName !== 'node_modules' && folderName !== 'dist'
}
