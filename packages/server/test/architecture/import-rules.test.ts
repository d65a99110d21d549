import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { checkImports, describeViolation } from '../../../../scripts/check-imports.mjs'
import { plant } from './plant.ts'

const repositoryRoot = fileURLToPath(new URL('../../../..', import.meta.url))

test('the sources keep the import rules', () => {
  const { fileCount, violations } = checkImports(repositoryRoot)

  expect(violations.map(describeViolation)).toEqual([])
  expect(fileCount).toBeGreaterThan(0)
})

describe('rule 1: what the packages besides the server may import', () => {
  test('contract may import zod and its own files', () => {
    expect(
      check({ 'contract/src/session.ts': ["import { z } from 'zod'", "import { limits } from './limits.ts'"] }),
    ).toEqual([])
  })

  test.each(['@yardmaster/server/main', '../../server/src/main.ts', '@yardmaster/client/call', 'node:fs', 'zodiac'])(
    'contract may not import %s',
    (specifier) => {
      expect(check({ 'contract/src/session.ts': [`import { x } from '${specifier}'`] })).toEqual([
        `1 contract/src/session.ts:1 ${specifier}`,
      ])
    },
  )

  const contract = {
    'contract/src/limits.ts': ['export const limit = 1'],
    'contract/src/session.ts': ["import { z } from 'zod'"],
    'contract/src/addresses.ts': ["import { limit } from './limits.ts'", "import type { A } from './session.ts'"],
    'contract/src/endpoints.ts': ["import { session } from './session.ts'"],
  }

  test.each([
    "import type { Session } from '@yardmaster/contract/session'",
    "import { limit } from '@yardmaster/contract/limits'",
    "import { addresses } from '@yardmaster/contract/addresses'",
    "import { call } from './call.ts'",
    "import type { z } from 'zod'",
  ])('client may have: %s', (line) => {
    expect(check({ ...contract, 'client/src/client.ts': [line] })).toEqual([])
  })

  test.each([
    ["import { session } from '@yardmaster/contract/session'", '@yardmaster/contract/session'],
    ["import { type Session } from '@yardmaster/contract/session'", '@yardmaster/contract/session'],
    ["import { endpoints } from '@yardmaster/contract/endpoints'", '@yardmaster/contract/endpoints'],
    ["import type { App } from '@yardmaster/server/domain/app'", '@yardmaster/server/domain/app'],
    ["import { z } from 'zod'", 'zod'],
    ["import type { FastifyInstance } from 'fastify'", 'fastify'],
    ["import 'node:events'", 'node:events'],
  ])('client may not have: %s', (line, specifier) => {
    expect(check({ ...contract, 'client/src/client.ts': [line] })).toEqual([`1 client/src/client.ts:1 ${specifier}`])
  })

  test.each([
    ['web', 'cli'],
    ['cli', 'web'],
  ])('%s may import contract, client and third-party packages, but nothing else of ours', (name, other) => {
    const lines = [
      "import '@yardmaster/contract/session'",
      "import '@yardmaster/client/client'",
      "import 'react'",
      "import '../../server/src/app/compose.ts'",
      `import '@yardmaster/${other}/page'`,
    ]

    expect(check({ [`${name}/src/page.tsx`]: lines })).toEqual([
      `1 ${name}/src/page.tsx:4 ../../server/src/app/compose.ts`,
      `1 ${name}/src/page.tsx:5 @yardmaster/${other}/page`,
    ])
  })

  test('web takes types from files of the contract that load zod, and nothing else', () => {
    const lines = [
      "import type { Session } from '@yardmaster/contract/session'",
      "import { limit } from '@yardmaster/contract/limits'",
      "import { session } from '@yardmaster/contract/session'",
      "import { z } from 'zod'",
    ]
    expect(check({ ...contract, 'web/src/app/page.tsx': lines })).toEqual([
      '1 web/src/app/page.tsx:3 @yardmaster/contract/session',
      '1 web/src/app/page.tsx:4 zod',
    ])
  })

  test('inside web, app may import features and shared, features may import shared, and not the other way round', () => {
    const files = {
      'web/src/app/shell.tsx': ["import '../features/board/page.tsx'", "import '../shared/kit.tsx'"],
      'web/src/features/board/page.tsx': ["import '../../shared/kit.tsx'", "import '../costs/dollars.ts'"],
      'web/src/shared/kit.tsx': ["import '../features/costs/dollars.ts'"],
      'web/src/features/costs/dollars.ts': ["import '../../app/places.ts'"],
      'web/src/app/places.ts': ['export const places = 1'],
    }
    expect(check(files)).toEqual([
      '7 web/src/features/costs/dollars.ts:1 ../../app/places.ts',
      '7 web/src/shared/kit.tsx:1 ../features/costs/dollars.ts',
    ])
  })

  test('the server may not import the client', () => {
    expect(check({ 'server/src/surfaces/rest.ts': ["import '@yardmaster/client/client'"] })).toEqual([
      '2 server/src/surfaces/rest.ts:1 @yardmaster/client/client',
    ])
  })
})

describe('rule 2: imports go down', () => {
  test.each([
    ['app/compose.ts', '../surfaces/rest.ts'],
    ['app/compose.ts', '../platform/clock.ts'],
    ['surfaces/rest.ts', '../domain/sessions/session.ts'],
    ['domain/sessions/archive.ts', '../../runtimes/runtime.ts'],
    ['domain/sessions/archive.ts', '../app.ts'],
    ['domain/sessions/archive.ts', '@yardmaster/contract/session'],
    ['domain/app.ts', '../platform/clock.ts'],
    ['domain/app.ts', '../runtimes/runtime.ts'],
    ['runtimes/alpha/alpha.ts', '../runtime.ts'],
    ['main.ts', './app/compose.ts'],
    ['main.ts', './platform/startup-error.ts'],
    ['platform/clock.ts', 'node:timers'],
  ])('%s may import %s', (file, specifier) => {
    expect(check({ [`server/src/${file}`]: [`import { x } from '${specifier}'`] })).toEqual([])
  })

  test.each([
    ['surfaces/rest.ts', '../app/compose.ts'],
    ['domain/sessions/archive.ts', '../../surfaces/rest.ts'],
    ['domain/app.ts', './sessions/session.ts'],
    ['runtimes/runtime.ts', '../domain/app.ts'],
    ['platform/clock.ts', '../runtimes/runtime.ts'],
    ['platform/clock.ts', '../domain/sessions/session.ts'],
    ['platform/clock.ts', '../../test/support/clock.ts'],
    ['main.ts', './domain/app.ts'],
    ['main.ts', './surfaces/rest.ts'],
  ])('%s may not import %s', (file, specifier) => {
    expect(check({ [`server/src/${file}`]: [`import { x } from '${specifier}'`] })).toEqual([
      `2 server/src/${file}:1 ${specifier}`,
    ])
  })

  test('a type-only import counts as an import', () => {
    expect(check({ 'server/src/platform/clock.ts': ["import type { App } from '../domain/app.ts'"] })).toEqual([
      '2 server/src/platform/clock.ts:1 ../domain/app.ts',
    ])
  })

  test('the import check reports a source file outside the layers', () => {
    expect(check({ 'server/src/helpers/text.ts': [] })).toEqual(['2 server/src/helpers/text.ts:1 '])
  })
})

describe('rule 3: a room imports only rooms on earlier lines', () => {
  test('a room may import a room on an earlier line', () => {
    expect(check({ 'server/src/domain/turns/run.ts': ["import { x } from '../sessions/session.ts'"] })).toEqual([])
  })

  test.each([
    ['sessions', 'triggers/trigger.ts'],
    ['turns', 'triggers/trigger.ts'],
    ['settings', 'categories/category.ts'],
  ])('%s may not import %s', (room, target) => {
    expect(check({ [`server/src/domain/${room}/act.ts`]: [`import { x } from '../${target}'`] })).toEqual([
      `3 server/src/domain/${room}/act.ts:1 ../${target}`,
    ])
  })

  test('the import check reports a room that is missing from the list once', () => {
    expect(check({ 'server/src/domain/extras/one.ts': [], 'server/src/domain/extras/two.ts': [] })).toEqual([
      '3 server/src/domain/extras/one.ts:1 ',
    ])
  })

  test('the import check reports a file beside the rooms, except for app.ts and tool.ts', () => {
    const shared = { 'server/src/domain/app.ts': [], 'server/src/domain/tool.ts': [] }

    expect(check({ ...shared, 'server/src/domain/stray.ts': [] })).toEqual(['3 server/src/domain/stray.ts:1 '])
  })
})

describe('rule 4: other rooms see only the face of a room', () => {
  test.each([
    'settings/settings.ts',
    'categories/category.ts',
    'sessions/session.ts',
    'sessions/events.ts',
    'sessions/turn-job.ts',
    'sessions/summary/summary-job.ts',
    'inbox/inbox.ts',
  ])('another room may import %s', (target) => {
    expect(check({ 'server/src/domain/maintenance/sweep.ts': [`import { x } from '../${target}'`] })).toEqual([])
  })

  test.each(['sessions/archive.ts', 'sessions/session-store.ts', 'sessions/room.ts', 'sessions/lifecycle/session.ts'])(
    'another room may not import %s',
    (target) => {
      expect(check({ 'server/src/domain/maintenance/sweep.ts': [`import { x } from '../${target}'`] })).toEqual([
        `4 server/src/domain/maintenance/sweep.ts:1 ../${target}`,
      ])
    },
  )

  test('app may import room.ts, surfaces may not, and neither may import private files', () => {
    const lines = [
      "import { room } from '../domain/turns/room.ts'",
      "import { run } from '../domain/turns/run-turn.ts'",
    ]

    expect(check({ 'server/src/app/modules.ts': lines, 'server/src/surfaces/rest.ts': lines })).toEqual([
      '4 server/src/app/modules.ts:2 ../domain/turns/run-turn.ts',
      '4 server/src/surfaces/rest.ts:1 ../domain/turns/room.ts',
      '4 server/src/surfaces/rest.ts:2 ../domain/turns/run-turn.ts',
    ])
  })
})

describe('rule 5: endpoints call operations, operations call stores', () => {
  test('a store may import types, other stores, the platform and packages', () => {
    const lines = [
      "import { sql } from 'kysely'",
      "import { now } from '../../platform/clock.ts'",
      "import type { Session } from './session.ts'",
      "import { rows } from './lifecycle/transition-store.ts'",
    ]

    expect(check({ 'server/src/domain/sessions/session-store.ts': lines })).toEqual([])
  })

  test('a store may import neither an operation nor an endpoint, nor a type of an endpoint', () => {
    const lines = ["import { archive } from './archive.ts'", "import type { Body } from './endpoints.ts'"]

    expect(check({ 'server/src/domain/sessions/store.ts': lines })).toEqual([
      '5 server/src/domain/sessions/store.ts:1 ./archive.ts',
      '5 server/src/domain/sessions/store.ts:2 ./endpoints.ts',
    ])
  })

  test.each(['endpoints.ts', 'board/board-endpoints.ts', 'archive-endpoint.ts'])(
    '%s may import an operation but not a store',
    (file) => {
      const up = file.includes('/') ? '..' : '.'
      const lines = [`import { restore } from '${up}/restore.ts'`, `import { rows } from '${up}/session-store.ts'`]

      expect(check({ [`server/src/domain/sessions/${file}`]: lines })).toEqual([
        `5 server/src/domain/sessions/${file}:2 ${up}/session-store.ts`,
      ])
    },
  )
})

describe('rule 6: no export *, no cycles', () => {
  test.each(["export * from './two.ts'", "export * as two from './two.ts'", "export type * from './two.ts'"])(
    'the import check reports %s',
    (line) => {
      expect(check({ 'server/src/platform/one.ts': [line] })).toEqual(['6 server/src/platform/one.ts:1 ./two.ts'])
    },
  )

  test('the import check reports a cycle once, with the files on it', () => {
    const root = plant({
      'server/src/platform/one.ts': ["import { two } from './two.ts'"],
      'server/src/platform/two.ts': ['// two', "export { three } from './three.ts'"],
      'server/src/platform/three.ts': ["const one = await import('./one.ts')"],
    })

    expect(checkImports(root).violations.map(describeViolation)).toEqual([
      "packages/server/src/platform/one.ts:1 imports './two.ts': a cycle: packages/server/src/platform/one.ts > " +
        'packages/server/src/platform/two.ts > packages/server/src/platform/three.ts > packages/server/src/platform/one.ts\n' +
        '  rule 6: no export * and no import cycles',
    ])
  })

  test.each([
    ["import type { Two } from './two.ts'", []],
    ["export type { Two } from './two.ts'", []],
    ["import { type Two } from './two.ts'", ['6 server/src/platform/one.ts:1 ./two.ts']],
    ["import type from './two.ts'", ['6 server/src/platform/one.ts:1 ./two.ts']],
  ])('only an import that exists at run time closes a cycle: %s', (line, expected) => {
    const back = { 'server/src/platform/two.ts': ["import { one } from './one.ts'"] }

    expect(check({ ...back, 'server/src/platform/one.ts': [line] })).toEqual(expected)
  })
})

describe('what counts as an import', () => {
  const forbidden = '../app/compose.ts'

  test.each([
    ['a default import', `import compose from '${forbidden}'`],
    ['a namespace import', `import * as compose from "${forbidden}"`],
    ['an import for its effect', `import '${forbidden}'`],
    ['an import over several lines', `import {\n  compose,\n  type App,\n} from '${forbidden}'`],
    ['an import with attributes', `import compose from '${forbidden}' with { type: 'json' }`],
    ['a value that is named type', `import type from '${forbidden}'`],
    ['a re-export', `export { compose } from '${forbidden}'`],
    ['a re-export of a type', `export type { App } from '${forbidden}'`],
    ['a dynamic import', `const { compose } = await import('${forbidden}')`],
    ['a dynamic import by template', `const { compose } = await import(\`${forbidden}\`)`],
    ['a dynamic import inside a template', `const text = \`\${(await import('${forbidden}')).name} {\``],
    ['an import type', `let app: import('${forbidden}').App`],
    ['an import after a regular expression with quotes', `const quote = /['"\`/]/\nimport '${forbidden}'`],
    ['an import after a division', `const half = (a + b) / 2 // it's half\nimport '${forbidden}'`],
    ['an import after nested templates', `const text = \`a \${b ? \`}\${c}'\` : {}.d} e\`\nimport '${forbidden}'`],
  ])('the import check counts %s as an import', (_name, source) => {
    const found = check({ 'server/src/platform/clock.ts': [source] })

    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(/^2 server\/src\/platform\/clock\.ts:\d \.\.\/app\/compose\.ts$/)
  })

  test.each([
    ['a comment', `// import '${forbidden}'\n/* import x from '${forbidden}' */`],
    ['a string', `const text = "import x from '${forbidden}'"`],
    ['a template', `const text = \`\nimport x from '${forbidden}'\n\``],
    ['a module augmentation', `declare module '${forbidden}' {\n  interface App {}\n}`],
    ['a method called import', `loader.import('${forbidden}')`],
    ['import.meta', `const here = import.meta.resolve('${forbidden}')`],
    ['an export list before a string', `export { a }\nconst from = '${forbidden}'`],
  ])('the import check does not count %s as an import', (_name, source) => {
    expect(check({ 'server/src/platform/clock.ts': [source] })).toEqual([])
  })

  test('the import check reports the line of the import, counted across comments and templates', () => {
    const lines = ['/* one', 'two */ const text = `three', `\${four}`, 'five`', `import '${forbidden}'`]

    expect(check({ 'server/src/platform/clock.ts': lines })).toEqual([`2 server/src/platform/clock.ts:5 ${forbidden}`])
  })
})

/** The violations in a made-up tree, as `rule file:line import` with paths from packages/. */
function check(files: Record<string, readonly string[]>): string[] {
  return checkImports(plant(files)).violations.map(
    ({ rule, file, line, specifier }) => `${rule} ${file.replace(/^packages\//, '')}:${line} ${specifier}`,
  )
}
