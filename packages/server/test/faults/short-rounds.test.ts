import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { faults } from './matrix/matrix.mjs'

const program = fileURLToPath(new URL('./matrix/run.mjs', import.meta.url))

/** Short rounds of the faults that no other test covers. `npm run test:faults` runs the whole matrix. */
const groups = {
  'one of two hosts dies, freezes or has a wrong clock': ['R2', 'R3', 'R14'],
  'a host is killed repeatedly during concurrent follow-ups': ['R18'],
}

test('the groups name faults of the matrix', () => {
  expect(faults.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.values(groups).flat()))
})

for (const [name, members] of Object.entries(groups)) {
  test.concurrent(`${name}: no prompt is lost or delivered twice`, async ({ expect, onTestFinished }) => {
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
