// Tries to open the home in its argument each time it reads the line `open`, and prints the result to standard output.
// Imports the build, so that a plain node process runs it, which a test can kill.
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
