#!/usr/bin/env node
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

// Stands in for the CLI where a test is about the driver alone. Leaves in its folder what it was started with.

const say = (event) => process.stdout.write(`${JSON.stringify(event)}\n`)

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { message, request } = JSON.parse(line)
    const prompt = message?.content
    if (request?.subtype === 'interrupt') finish(true)
    if (prompt === 'tell')
      writeFileSync('given.json', JSON.stringify({ args: process.argv.slice(2), env: process.env }))
    if (prompt === 'tell' || prompt === 'done') finish(false)
  })
  .on('close', () => process.exit(0))

function finish(isError) {
  say({ type: 'result', is_error: isError, terminal_reason: isError ? 'aborted_streaming' : 'completed', result: '' })
}
