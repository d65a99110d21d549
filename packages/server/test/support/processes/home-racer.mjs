// Opens the home named by the argument each time a line comes in, and says on standard output whether it got in.
// Runs the built server: node's own process, so that it can be killed like one.
import { createInterface } from 'node:readline'
import { openHome } from '../../../dist/platform/home/home.js'

process.stdout.write('ready\n')
for await (const line of createInterface({ input: process.stdin })) {
  if (line !== 'open') continue
  try {
    await openHome(process.argv[2])
    process.stdout.write('opened\n')
  } catch (error) {
    process.stdout.write(`${error.name}: ${error.message}\n`)
  }
}
