import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'

const linkModule = new URL('../../../server/dist/app/link.js', import.meta.url).href

/** The fragment of a link as `npm run link` prints it: `#k=…`. */
export async function oneTimeLink(home: string): Promise<string> {
  const program = `import { linkCommand } from ${JSON.stringify(linkModule)}; await linkCommand()`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH, HOME: tmpdir(), YARDMASTER_HOME: home },
  })
  return new URL(stdout.trim()).hash
}
