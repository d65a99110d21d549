// Holds the lock named by its argument until it is killed. Runs the built server in a process of its own.
import { withFileLock } from '../../../dist/platform/git/file-lock.js'

await withFileLock(process.argv[2], { patienceMs: 10_000 }, async () => {
  process.stdout.write('held\n')
  await new Promise((resolve) => process.stdin.on('end', resolve).resume())
})
