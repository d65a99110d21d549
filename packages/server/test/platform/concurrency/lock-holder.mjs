// Holds the lock at the path of its first argument until it is killed or its stdin ends. Runs the built server's code.
import { withFileLock } from '../../../dist/platform/concurrency/file-lock.js'

await withFileLock(process.argv[2], { timeoutMs: 10_000 }, async () => {
  process.stdout.write('held\n')
  await new Promise((resolve) => process.stdin.on('end', resolve).resume())
})
