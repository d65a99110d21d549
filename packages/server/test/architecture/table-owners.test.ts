import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { checkTables, describeTableViolation } from '../../../../scripts/check-tables.mjs'
import { plant } from './plant.ts'

const repositoryRoot = fileURLToPath(new URL('../../../..', import.meta.url))

const categories = {
  'server/src/domain/categories/category-store.ts': [
    "declare module '../../platform/db/tables.ts' {",
    '  interface Tables {',
    '    categories: {',
    '      name: string',
    '    }',
    '    category_marks: { id: number }',
    '  }',
    '}',
    "await tx.insertInto('categories').values({ name }).execute()",
  ],
}

test('the sources keep the table rules', () => {
  expect(checkTables(repositoryRoot).map(describeTableViolation)).toEqual([])
})

test('rejects two migrations with one number, and a gap between two', () => {
  const migrations = (...names: string[]) =>
    checkTables(plant(Object.fromEntries(names.map((name) => [`server/src/platform/db/migrations/${name}.sql`, ['']]))))
  expect(migrations('0001_a', '0002_b')).toEqual([])
  expect(migrations('0001_a', '0002_b', '0002_c').map(describeTableViolation)).toEqual([
    expect.stringContaining('0002_c.sql:1 is numbered: it should be number 0003'),
  ])
  expect(migrations('0001_a', '0003_b')).toMatchObject([{ rule: 10 }])
})

test.each([
  "tx.insertInto('categories')",
  "tx\n  .updateTable('categories')",
  "tx.updateTable('categories as c')",
  "tx.deleteFrom('category_marks')",
  'sql`insert into categories (name) values (1)`',
  'sql`\n  with moved as (\n    update categories set name = 1\n  )\n  select 1`',
  'sql`delete from only category_marks`',
  'sql`DELETE FROM categories`',
])('rejects a write to the table of another room: %s', (line) => {
  const found = check({ ...categories, 'server/src/domain/board/card-store.ts': [line] })

  expect(found).toEqual([expect.stringMatching(/^7 board\/card-store\.ts:\d categor/)])
})

test.each([
  "tx.selectFrom('categories')",
  'sql`select * from categories for update`',
  'sql`insert into cards values (1) on conflict (id) do update set name = 1`',
  '// update categories when the name changes',
  '/**\n * insert into categories\n */',
  "tx.insertInto('name')",
])('accepts what is no write to the table of another room: %s', (line) => {
  expect(check({ ...categories, 'server/src/domain/board/card-store.ts': [line] })).toEqual([])
})

test('names the line, the table and its owner', () => {
  const root = plant({ ...categories, 'server/src/domain/board/card.ts': ['', "tx.deleteFrom('categories')"] })

  expect(checkTables(root).map(describeTableViolation)).toEqual([
    expect.stringContaining(
      "packages/server/src/domain/board/card.ts:2 writes 'categories': categories belongs to domain/categories\n  rule 7: ",
    ),
  ])
})

test.each([
  [
    "export { findSession } from './find.ts'\nexport {\n  selectRow,\n  updateSession,\n} from './session-store.ts'",
    true,
  ],
  ['export async function updateSession() {}', true],
  ["import { updateSession } from './session-store.ts'\nexport { recordProcess } from './record-process.ts'", false],
])('forbids the sessions room to export updateSession: %s', (text, isForbidden) => {
  const root = plant({ 'server/src/domain/sessions/session.ts': [text] })
  const found = checkTables(root)

  expect(found.map(({ rule }) => rule)).toEqual(isForbidden ? [8] : [])
})

test.each([
  ["sql`select metadata ->> 'paused_by' from sessions`", true],
  ["sql`select 1 where sessions.metadata ? 'paused_by'`", true],
  ["sql`jsonb_set(metadata, '{paused_by}', '1')`", true],
  ["sql`metadata || jsonb_build_object('paused_by', 1)`", true],
  ["sql`custom_metadata ->> 'paused_by'`", false],
  ['sql`select metadata::text from sessions`', false],
  ['metadata ? readMetadata(session) : {}', false],
])('forbids a room to name a key of the metadata of sessions in SQL: %s', (line, isForbidden) => {
  expect(check({ 'server/src/domain/board/card-store.ts': [line] })).toEqual(
    isForbidden ? ['9 board/card-store.ts:1 sessions'] : [],
  )
})

function check(files: Record<string, readonly string[]>): string[] {
  return checkTables(plant(files)).map(
    ({ rule, file, line, table }) => `${rule} ${file.replace('packages/server/src/domain/', '')}:${line} ${table}`,
  )
}
