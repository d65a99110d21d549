import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { roomLines } from '../../../../scripts/rooms.mjs'
import { modules } from '../../src/app/modules.ts'

const domain = new URL('../../src/domain/', import.meta.url)

const rooms = readdirSync(domain, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

const existingLines = roomLines
  .map((line) => line.filter((room) => rooms.includes(room)))
  .filter(({ length }) => length)

test('every room has exactly one place in the list of rooms', () => {
  expect(existingLines.flat().sort()).toEqual(rooms.sort())
})

test('ARCHITECTURE.md lists the rooms line by line as scripts/rooms.mjs does', () => {
  expect(documentedLines()).toEqual(existingLines)
})

test('app/modules.ts lists every room that declares something, in the order of the list', () => {
  const declaring = existingLines.flat().filter((room) => existsSync(new URL(`${room}/room.ts`, domain)))
  const listed = modules.map(({ name }) => name).filter((name) => rooms.includes(name))
  const lineOf = (room: string) => existingLines.findIndex((line) => line.includes(room))

  expect([...listed].sort()).toEqual(declaring.sort())
  expect(listed.map(lineOf)).toEqual(listed.map(lineOf).sort((one, other) => one - other))
})

test('every tool is described once for each group that has it, and no two rooms declare the same action of it', () => {
  const parts = modules
    .flatMap(({ tools = [] }) => tools)
    .flatMap((tool) => tool.groups.map((group) => ({ ...tool, group })))
  const heads = parts.filter(({ about }) => about !== undefined).map(({ group, name }) => `${group} ${name}`)
  const actions = parts.flatMap(({ group, name, calls }) =>
    Object.keys(calls).map((call) => `${group} ${name} ${call}`),
  )

  expect(heads.sort()).toEqual([...new Set(parts.map(({ group, name }) => `${group} ${name}`))].sort())
  expect(actions).toEqual([...new Set(actions)])
})

/** The fenced block after `<!-- rooms -->`: one line of rooms a line, separated by spaces. */
function documentedLines(): string[][] {
  const text = readFileSync(new URL('../../../../ARCHITECTURE.md', import.meta.url), 'utf8')
  const block = /<!-- rooms -->\s*```[^\n]*\n(.*?)\n```/s.exec(text)?.[1]
  if (block === undefined) throw new Error('ARCHITECTURE.md has no fenced block after <!-- rooms -->')
  return block.split('\n').map((line) => line.trim().split(/\s+/))
}
