import { readFileSync } from 'node:fs'

/**
 * The flags of Node in `npm start` of a checkout: what is measured runs with the same ones.
 *
 * @param {string} root
 * @returns {string[]}
 */
export function startFlags(root) {
  const { scripts } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'))
  return scripts.start.split(' ').filter((/** @type {string} */ word) => word.startsWith('--'))
}
