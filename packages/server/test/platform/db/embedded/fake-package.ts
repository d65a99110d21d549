import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A package with the layout of the real ones, whose programs are shell scripts. */
export async function makeFakePackage(
  folder: string,
  scripts: { initdb?: string; postgres?: string },
  files: Record<string, string> = {},
): Promise<string> {
  await writeTo(join(folder, 'package.json'), JSON.stringify({ version: '18.99.0' }))
  for (const [path, text] of Object.entries(files)) await writeTo(join(folder, path), text)
  await writeScript(join(folder, 'native/bin/initdb'), scripts.initdb ?? 'exit 1')
  await writeScript(
    join(folder, 'native/bin/postgres'),
    `if [ "$1" = -V ]; then exit 0; fi\n${scripts.postgres ?? 'exit 1'}`,
  )
  return folder
}

async function writeScript(path: string, body: string): Promise<void> {
  await writeTo(path, `#!/bin/sh\n${body}\n`)
  await chmod(path, 0o755)
}

async function writeTo(path: string, text: string): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true })
  await writeFile(path, text)
}
