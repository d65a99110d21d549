import { expect, test } from 'vitest'
import { findWords } from '../../../../scripts/check-words.mjs'
import { plant } from './plant.ts'

// Quoted alone, a word is accepted, so this file passes the check as well.
const [pronoun, user, phrase] = ['Whoever', 'nobody', 'lets run']

test('finds a word that hides the actor, in code, tests and documents', () => {
  const root = plant({
    'server/src/platform/one.ts': ['// One', `// ${pronoun} comes second waits.`],
    'server/test/one.test.ts': [`test('that ${user} knows answers 422')`],
    'server/README.md': [`It ${phrase} what may.`],
  })

  expect(findWords(root)).toEqual([
    { file: 'packages/server/README.md', line: 1, word: phrase },
    { file: 'packages/server/src/platform/one.ts', line: 2, word: pronoun },
    { file: 'packages/server/test/one.test.ts', line: 1, word: user },
  ])
})

test('accepts a user name in quotes, longer words and files of installed packages', () => {
  const root = plant({
    'server/src/platform/one.ts': [`const user = '${user}'`, `/** Runs as \`${user}\`. */`, `const ${user}s = []`],
    'server/node_modules/other/index.js': [`// ${pronoun}`],
    'server/dist/one.js': [`// ${pronoun}`],
  })

  expect(findWords(root)).toEqual([])
})
