import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { repositoryRoot } from './repository-root.mjs'
import { sourceFiles } from './source-files.mjs'

// Words that hide the actor, and phrases with an ordinary technical word. CONTRIBUTING.md says what to write instead.
const words = [
  'whoever',
  'nobody',
  'everybody',
  'somebody',
  'anew',
  'what is told',
  'lets run',
  'again and again',
  'as good as none',
  'by its own claim',
  'deep down',
  'from the ground up',
  'if need be',
  'in a circle',
  'is good while',
  'names nothing',
  'read and mend',
  'says so itself',
  'stands there',
  'that is none',
  'what became of',
]

const folders = ['packages', 'scripts', 'bench', 'docs']

/**
 * Every use of these words, except quoted as a single word: `nobody` is also a user name.
 *
 * @param {string} root
 * @returns {{ file: string, line: number, word: string }[]}
 */
export function findWords(root) {
  const pattern = new RegExp(`\\b(?:${words.join('|').replaceAll(' ', '\\s+')})\\b`, 'gi')
  return folders
    .flatMap((folder) => sourceFiles(root, folder, /\.(ts|tsx|mts|js|mjs|md|css|html)$/))
    .flatMap((file) =>
      readFileSync(`${root}/${file}`, 'utf8')
        .split('\n')
        .flatMap((text, index) =>
          [...text.matchAll(pattern)]
            .filter((found) => !isQuoted(text, found))
            .map(([word]) => ({ file, line: index + 1, word })),
        ),
    )
}

/**
 * @param {string} text
 * @param {RegExpExecArray} found
 */
function isQuoted(text, { 0: word, index }) {
  const [before = '', after = ''] = [text[index - 1], text[index + word.length]]
  return before !== '' && before === after && '\'"`'.includes(before)
}

/** Prints the uses and answers whether there are none. */
export function keepsWords(root = repositoryRoot) {
  const found = findWords(root)
  for (const { file, line, word } of found)
    console.error(`${file}:${line} "${word}": see "Plain English" in CONTRIBUTING.md`)
  return found.length === 0
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = keepsWords() ? 0 : 1
