import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { faults } from '../fault-matrix/matrix.mjs'

const program = fileURLToPath(new URL('../fault-matrix/run.mjs', import.meta.url))

/** By what they wait for, so that those who wait do it together. `npm run test:faults` runs them in full. */
const groups = {
  'two hosts, of which one dies, freezes or has a wrong clock': ['R2', 'R3', 'R14'],
  'hosts and agents that are killed, stopped or told otherwise': [
    'R1',
    'R4',
    'R5',
    'R6',
    'R7',
    'R17',
    'R18',
    'R19',
    'R20',
  ],
  'a database that dies, and agents that write what nobody expects': ['R8', 'R9', 'R15', 'R21', 'R22', 'R23', 'R25'],
}

test('every fault of the matrix has its short round', () => {
  expect(Object.values(groups).flat().sort()).toEqual(faults.map(({ name }) => name).sort())
})

for (const [name, members] of Object.entries(groups)) {
  test.concurrent(`${name}: nothing is lost and nothing done twice`, async ({ expect, onTestFinished }) => {
    const child = spawn(process.execPath, [program, '--short', ...members], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, HOME: tmpdir(), TMPDIR: tmpdir() },
    })
    onTestFinished(() => void child.kill('SIGTERM'))
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    const code = await new Promise((resolve) => child.once('close', resolve))
    expect(code, output).toBe(0)
  }, 420_000)
}
